import { Effect } from "effect"
import { slips, streamOf } from "../../domain/events/aggregates.ts"
import { EventStore } from "../../ports/event-store.ts"
import type { Member } from "../../ports/read-models.ts"
import { filteredPageOfAll, listOf, type PageQuery } from "../../projections/engine/page.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import {
  entryOfSlip,
  verificationSets,
  verificationsModel,
  verificationsOf
} from "../../projections/models/verifications.ts"
import { openRemark, remarkDigest } from "../sealing/sealed-data.ts"
import {
  classesOf,
  digestsNamed,
  passesOf,
  type SlipReference,
  type VerificationFilter
} from "./verification-filter.ts"
import { CONCURRENT_READS, summaryOf, type VerificationSummary } from "./verification-item.ts"

/** Which verifications of a branch to list. */
export interface VerificationsQuery extends PageQuery, VerificationFilter {
  readonly branchId: string
  readonly serviceId: string
}

/** A verification in the list of its branch. */
export interface VerificationItem extends VerificationSummary {
  readonly remark: string | null
}

/** The verifications of a slip by the branch. The first one of a slip in the service stands in no set of slips. */
const ofReference = Effect.fnUntraced(function* (
  { branchId, serviceId }: VerificationsQuery,
  reference: SlipReference
) {
  const { readStream } = yield* EventStore
  const found = yield* Effect.forEach(
    yield* digestsNamed(reference),
    Effect.fnUntraced(function* (digest) {
      const first = (yield* readStream(streamOf.slip(serviceId, digest), { limit: 1 })).map(slips.codec.decode)
      return {
        set: verificationSets.ofSlip(branchId, digest),
        first: first.filter((event) => event.branchId === branchId).map(entryOfSlip)
      }
    }),
    { concurrency: CONCURRENT_READS }
  )
  return [listOf(found.flatMap(({ first }) => first)), ...found.map(({ set }) => set)]
})

const itemOf = Effect.fnUntraced(function* (member: Member, query: VerificationsQuery) {
  const found = yield* summaryOf(member, query)
  if (found === undefined) return undefined
  const item: VerificationItem = { ...found.summary, remark: (yield* openRemark(found.remark)) ?? null }
  return item
})

/**
 * A page of a branch's verifications by time (docs/spec/http.md, "GET /v2/verifications"). It costs the same however many
 * there are. With a filter on amount, account, remark or reference a page can have fewer items than `limit`, even none,
 * while there is a next one.
 */
export const listVerifications = Effect.fn("listVerifications")(function* (query: VerificationsQuery) {
  yield* whenReady(verificationsModel)
  const classes = classesOf(query)
  const sets = query.reference === undefined
    ? verificationsOf(query.branchId, classes)
    : yield* ofReference(query, query.reference)
  const remark = yield* remarkDigest(query.branchId, query.remark)
  const passes = passesOf(query, classes, () => remark)
  const { items: members, nextCursor } = yield* filteredPageOfAll(sets, query, passes)
  const found = yield* Effect.forEach(members, (member) => itemOf(member, query), { concurrency: CONCURRENT_READS })
  return { items: found.filter((item) => item !== undefined), nextCursor }
})
