import { Effect } from "effect"
import { slips, streamOf } from "../../domain/events/aggregates.ts"
import { EventStore } from "../../ports/event-store.ts"
import type { Member } from "../../ports/read-models.ts"
import { filteredPageOfAll, listOf, type PageQuery, readItems } from "../../projections/engine/page.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { branchSlipsWithTail, operatorIndexModel } from "../../projections/models/operator-index.ts"
import {
  entryOfSlip,
  verificationSets,
  verificationsModel,
  verificationsOf
} from "../../projections/models/verifications.ts"
import { openRemark, remarkDigest, tailDigest } from "../sealing/sealed-data.ts"
import { type BranchVerificationFilter, classesOf, digestsNamed, passesOf } from "./verification-filter.ts"
import type { VerificationItem } from "../views/verification.ts"
import { CONCURRENT_READS, summaryOf } from "./verification-item.ts"

/** Which verifications of a branch to list. */
export interface VerificationsQuery extends PageQuery, BranchVerificationFilter {
  readonly branchId: string
  readonly serviceId: string
}

/** Slips of a branch with one end that are read. Fifty million slips have about so many with the same six digits. */
const MOST_SLIPS_OF_END = 50

/** The slips of the branch whose references end as the query says. */
const digestsEnding = Effect.fnUntraced(function* (branchId: string, referenceEnd: string) {
  yield* whenReady(operatorIndexModel)
  return yield* branchSlipsWithTail(yield* tailDigest(referenceEnd), branchId, MOST_SLIPS_OF_END)
})

/** The digests of the slips to which a query is limited; undefined when it is not. */
const digestsOf = Effect.fnUntraced(function* ({ branchId, reference, referenceEnd }: VerificationsQuery) {
  const ending = referenceEnd === undefined ? undefined : yield* digestsEnding(branchId, referenceEnd)
  if (reference === undefined) return ending
  const named = yield* digestsNamed(reference)
  return ending === undefined ? named : named.filter((digest) => ending.includes(digest))
})

/** The verifications of slips by the branch. The first one of a slip in the service stands in no set of slips. */
const ofSlips = Effect.fnUntraced(function* (
  { branchId, serviceId }: VerificationsQuery,
  digests: ReadonlyArray<string>
) {
  const { readStream } = yield* EventStore
  const found = yield* Effect.forEach(
    digests,
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
  return { ...found.summary, remark: (yield* openRemark(found.remark)) ?? null } satisfies VerificationItem
})

/**
 * A page of a branch's verifications by time (docs/spec/http.md, "GET /v2/verifications"). It costs the same however many
 * there are. With a filter on amount, account, remark or slip a page can have fewer items than `limit`, even none,
 * while there is a next one.
 */
export const listVerifications = Effect.fn("listVerifications")(function* (query: VerificationsQuery) {
  yield* whenReady(verificationsModel)
  const classes = classesOf(query)
  const digests = yield* digestsOf(query)
  const sets = digests === undefined ? verificationsOf(query.branchId, classes) : yield* ofSlips(query, digests)
  const remark = yield* remarkDigest(query.branchId, query.remark)
  const passes = passesOf(query, classes, () => remark)
  const { items: members, nextCursor } = yield* filteredPageOfAll(sets, query, passes)
  return { items: yield* readItems(members, (member) => itemOf(member, query)), nextCursor }
})
