import { Effect } from "effect"
import type { Member } from "../../ports/read-models.ts"
import { filteredPageOfAll, listOf, type PageQuery, readItems } from "../../projections/engine/page.ts"
import type { MemberList } from "../../projections/engine/read-model.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { branchRows, branchSets } from "../../projections/models/branches.ts"
import {
  operatorIndexModel,
  operatorSets,
  parseRecent,
  withBranch,
  withoutBranch
} from "../../projections/models/operator-index.ts"
import { type VerificationClass, verificationSets, verificationsModel } from "../../projections/models/verifications.ts"
import { remarkDigests } from "../sealing/sealed-data.ts"
import { verificationsOfSlip } from "./slip-verifications.ts"
import {
  classesOf,
  digestsNamed,
  passesOf,
  type SlipReference,
  type VerificationFilter
} from "./verification-filter.ts"
import type { OperatorVerification } from "../views/verification.ts"
import { CONCURRENT_READS, summaryOf } from "./verification-item.ts"

/** Which verifications to list: of a branch, of a service, or of all branches. Ids are in lower case. */
export interface AllVerificationsQuery extends PageQuery, VerificationFilter {
  readonly branchId?: string | undefined
  readonly serviceId?: string | undefined
}

/** A service with more branches is listed by filtering the list of all branches. */
export const MOST_MERGED_BRANCHES = 64

/** Members that a page examines at most when it reads few sets, and when it merges those of many branches. */
const MOST_EXAMINED = 20_000
const MOST_EXAMINED_OF_MANY = 2_000

/** A set of a branch with the members of `operatorSets.recent`. */
const ofBranch = (set: MemberList, branchId: string): MemberList => ({
  members: ({ after, ...range } = {}) =>
    Effect.map(
      // Ids are unique, so members with and without a branch have the same order.
      set.members({ ...range, ...(after === undefined ? {} : { after: withoutBranch(after) }) }),
      (members) => members.map((member) => withBranch(member, branchId))
    )
})

/** The sets to merge, and whether a branch belongs to the list. */
interface Source {
  readonly sets: ReadonlyArray<MemberList>
  readonly hasBranch?: (branchId: string) => boolean
}

const merged = (branchIds: ReadonlyArray<string>, classes: ReadonlyArray<VerificationClass>): Source => ({
  sets: branchIds.flatMap((branchId) =>
    classes.map((each) => ofBranch(verificationSets.ofClass(branchId, each), branchId))
  )
})

const recent = (classes: ReadonlyArray<VerificationClass>): Source => ({ sets: classes.map(operatorSets.recent) })

const ofReference = Effect.fnUntraced(function* (reference: SlipReference) {
  const found = yield* Effect.forEach(yield* digestsNamed(reference), verificationsOfSlip, {
    concurrency: CONCURRENT_READS
  })
  return [listOf(found.flatMap(({ members }) => members))]
})

/** The branches to which a query is limited; undefined when it is not. */
const branchesOf = Effect.fnUntraced(function* ({ branchId, serviceId }: AllVerificationsQuery) {
  if (serviceId === undefined) return branchId === undefined ? undefined : [branchId]
  const ofService = yield* branchSets.ofService(serviceId).names()
  return branchId === undefined ? ofService : ofService.filter((id) => id === branchId)
})

const sourceOf = Effect.fnUntraced(function* (query: AllVerificationsQuery, classes: ReadonlyArray<VerificationClass>) {
  const branchIds = yield* branchesOf(query)
  const chosen = new Set(branchIds)
  const isOfQuery = branchIds === undefined ? {} : { hasBranch: (id: string) => chosen.has(id) }
  if (query.reference !== undefined) return { sets: yield* ofReference(query.reference), ...isOfQuery }
  if (branchIds === undefined) return recent(classes)
  return branchIds.length <= MOST_MERGED_BRANCHES ? merged(branchIds, classes) : { ...recent(classes), ...isOfQuery }
})

/** A function that remembers its results. */
const remembered = <A>(make: (key: string) => A) => {
  const known = new Map<string, A>()
  return (key: string): A => {
    const value = known.get(key) ?? make(key)
    known.set(key, value)
    return value
  }
}

/** Verifications as operators see them, from members as in `operatorSets.recent`. */
export const operatorItems = (members: ReadonlyArray<Member>, filter: VerificationFilter = {}) =>
  readItems(
    members,
    Effect.fnUntraced(function* (member) {
      const summary = (yield* summaryOf(member, filter))?.summary
      if (summary === undefined) return undefined
      const { branchId } = parseRecent(member.member)
      return {
        ...summary,
        branchId,
        serviceId: (yield* branchRows.get(branchId))?.serviceId ?? null
      } satisfies OperatorVerification
    })
  )

/**
 * A page of the verifications of all branches by time, for operators (docs/spec/http.md, "Search").
 * It costs the same however many branches and verifications there are. Of all branches, and of a service with more than
 * `MOST_MERGED_BRANCHES` branches, it has those within the retention. With a filter that the class of a verification does
 * not decide, a page can have fewer than `limit` items while there is a next one.
 */
export const listAllVerifications = Effect.fn("listAllVerifications")(function* (query: AllVerificationsQuery) {
  yield* whenReady(operatorIndexModel)
  yield* whenReady(verificationsModel)
  const classes = classesOf(query)
  const { hasBranch, sets } = yield* sourceOf(query, classes)
  const digestIn = query.remark === undefined ? undefined : yield* remarkDigests(query.remark)
  const remarkOf = remembered((branchId) => digestIn?.(branchId))
  const passesFilter = passesOf(query, classes, (member) => remarkOf(parseRecent(member).branchId))
  const passes = hasBranch === undefined
    ? passesFilter
    : (member: string) => hasBranch(parseRecent(member).branchId) && passesFilter?.(member) !== false
  const mostExamined = sets.length > classes.length ? MOST_EXAMINED_OF_MANY : MOST_EXAMINED
  const { items: members, nextCursor } = yield* filteredPageOfAll(sets, query, passes, mostExamined)
  return { items: yield* operatorItems(members, query), nextCursor }
})
