import { Effect } from "effect"
import { batchJobName } from "../../domain/ids.ts"
import type { Satang } from "../../domain/money.ts"
import { isoTime } from "../../domain/time.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import type { Member } from "../../ports/read-models.ts"
import { type Page, parseCursor } from "../../projections/engine/page.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import { bankAccountRows } from "../../projections/models/bank-accounts.ts"
import { callbackSets, callbacksModel, hostRows } from "../../projections/models/callbacks.ts"
import { branchesModel } from "../../projections/models/branches.ts"
import { operatorIndexModel, slipsWithTail } from "../../projections/models/operator-index.ts"
import { anyJob } from "../jobs/load-job.ts"
import { Directory } from "../provisioning/directory.ts"
import type { Found, Hit, HitGroup } from "../views/search.ts"
import type { OperatorVerification } from "../views/verification.ts"
import { listAllVerifications, operatorItems } from "../reading/list-all-verifications.ts"
import { verificationsOfSlip } from "../reading/slip-verifications.ts"
import { slipsNamed } from "../reading/verification-filter.ts"
import { tailDigest } from "../sealing/sealed-data.ts"
import { isKnownSlip, isRequest, streamOfVerification } from "../trail/trail-sources.ts"
import { trailReady } from "../trail/trail.ts"
import { findNames } from "./find-names.ts"
import { type NamedSlip, readSearchText, type SearchText } from "./search-text.ts"

/** As for a trail: a person waits for a read model rather than search again. */
const CATCH_UP_TIMEOUT_MILLIS = 5_000

const searchReady = Effect.andThen(
  trailReady,
  caughtUp([operatorIndexModel, branchesModel, callbacksModel], CATCH_UP_TIMEOUT_MILLIS)
)

/** Hits of one group. */
const MOST_HITS = 20

/** Entries of one end of a reference that are read. A slip has one for each branch that had it. */
const MOST_TAILS = 200

/** Banks whose slips are looked up at a time. */
const CONCURRENT_LOOKUPS = 10

const hit = (kind: Hit["kind"], id: string, more: Partial<Hit> = {}): Hit => ({
  kind,
  id,
  name: null,
  serviceId: null,
  verification: null,
  ...more
})

const ofVerification = (verification: OperatorVerification): Hit =>
  hit("verification", verification.verificationId, { verification })

const group = (by: HitGroup["by"], hits: ReadonlyArray<Hit>): HitGroup => ({
  by,
  hits: hits.slice(0, MOST_HITS),
  isComplete: hits.length <= MOST_HITS,
  searchedBackTo: null
})

/** What an id of the service stands for. A job and its verification share the id: the job's trail has more. */
const ofId = Effect.fnUntraced(function* (id: string) {
  if ((yield* anyJob(id)) !== undefined) return [hit("job", id)]
  const directory = yield* Directory
  const branch = yield* directory.branch(id)
  if (branch !== undefined) return [hit("branch", id, { name: branch.name, serviceId: branch.serviceId })]
  const service = yield* directory.service(id)
  if (service !== undefined) return [hit("service", id, { name: service.name })]
  const { derived } = yield* Identifiers
  if ((yield* anyJob(derived(batchJobName(id, 0)))) !== undefined) return [hit("batch", id)]
  // Only read models have the others.
  yield* trailReady
  if ((yield* bankAccountRows.get(id)) !== undefined) return [hit("bankAccount", id)]
  return (yield* streamOfVerification(id)) === undefined ? [] : [hit("verification", id)]
})

const requestGroup = (requestId: string) =>
  Effect.map(isRequest(requestId), (exists) => group("request", exists ? [hit("request", requestId)] : []))

const isKnown = ({ sendingBank, transRef }: NamedSlip) => isKnownSlip(sendingBank, transRef)

const ofSlip = ({ sendingBank, transRef }: NamedSlip): Hit => hit("slip", `${sendingBank}:${transRef}`)

/** The slips of all banks with a whole reference. References are case-sensitive, and people are not. */
const ofReference = Effect.fnUntraced(function* (reference: string) {
  for (const written of new Set([reference, reference.toUpperCase()])) {
    const slips = slipsNamed({ reference: written, sendingBank: undefined })
      .map(([sendingBank, transRef]) => ({ sendingBank, transRef }))
    const known = yield* Effect.filter(slips, isKnown, { concurrency: CONCURRENT_LOOKUPS })
    if (known.length > 0) return known.map(ofSlip)
  }
  return []
})

const newestFirst = (one: Member, other: Member): number => other.score - one.score

/** The verifications of slips whose references end with a text, and the pending jobs that read such a slip. */
const ofTail = Effect.fnUntraced(function* (reference: string) {
  const tails = yield* slipsWithTail(yield* tailDigest(reference), MOST_TAILS)
  const digests = [...new Set(tails)]
  const slips = yield* Effect.forEach(digests.slice(0, MOST_HITS), verificationsOfSlip)
  const members = slips.flatMap((slip) => slip.members).sort(newestFirst)
  const jobs = slips.flatMap(({ pendingJobs }) => pendingJobs)
  const items = yield* operatorItems(members.slice(0, MOST_HITS))
  const found = group("tail", [...jobs.map((id) => hit("job", id)), ...items.map(ofVerification)])
  const hasAll = tails.length < MOST_TAILS && digests.length <= MOST_HITS && members.length <= MOST_HITS
  return { ...found, isComplete: found.isComplete && hasAll }
})

const hostGroup = Effect.fnUntraced(function* (host: string) {
  const { dueAt, endedAt } = callbackSets
  const sets = [dueAt(host), endedAt("delivered", host), endedAt("rejected", host), endedAt("abandoned", host)]
  const hasAnswered = (yield* hostRows.get(host)) !== undefined
  const counts = yield* Effect.forEach(sets, (set) => set.count())
  return group("host", hasAnswered || counts.some((count) => count > 0) ? [hit("callbackHost", host)] : [])
})

const listGroup = (by: "amount" | "remark", { items, nextCursor }: Page<OperatorVerification>): HitGroup => ({
  ...group(by, items.map(ofVerification)),
  isComplete: nextCursor === null,
  searchedBackTo: nextCursor === null ? null : isoTime(parseCursor(nextCursor).score)
})

const newest = { limit: MOST_HITS, order: "newest" } as const

const amountGroup = (amount: Satang) =>
  Effect.map(
    listAllVerifications({ ...newest, minAmount: amount, maxAmount: amount }),
    (page) => listGroup("amount", page)
  )

const remarkGroup = (remark: string) =>
  Effect.map(listAllVerifications({ ...newest, remark }), (page) => listGroup("remark", page))

const nameGroup = (text: string) =>
  Effect.map(findNames(text, MOST_HITS + 1), (shops) =>
    group(
      "name",
      shops.map(({ id, kind, name, serviceId }) =>
        hit(kind, id, { name, serviceId: kind === "branch" ? serviceId : null })
      )
    ))

/** Everything that a text can mean which is neither an id nor a slip. */
const ofText = Effect.fnUntraced(function* ({ amount, host, reference, requestId, text }: SearchText) {
  const byReference = reference === undefined ? [] : [group("reference", yield* ofReference(reference))]
  if (byReference.some(({ hits }) => hits.length > 0)) return byReference
  return [
    ...byReference,
    ...(reference === undefined ? [] : [yield* ofTail(reference)]),
    ...(requestId === undefined ? [] : [yield* requestGroup(requestId)]),
    yield* nameGroup(text),
    ...(host === undefined ? [] : [yield* hostGroup(host)]),
    ...(amount === undefined ? [] : [yield* amountGroup(amount)]),
    yield* remarkGroup(text)
  ]
})

const groupsOf = Effect.fnUntraced(function* (read: SearchText) {
  const { id, requestId, slip } = read
  const requests = requestId === undefined ? Effect.succeed([]) : Effect.map(requestGroup(requestId), (one) => [one])
  if (id !== undefined) {
    const byId = group("id", yield* ofId(id))
    return byId.hits.length > 0 ? [byId] : [byId, ...yield* requests]
  }
  yield* searchReady
  if (slip === undefined) return yield* ofText(read)
  // A caller may choose a request id that looks like a slip. A slip with events comes first.
  const bySlip = group("slip", (yield* isKnown(slip)) ? [ofSlip(slip)] : [])
  return bySlip.hits.length > 0 ? [bySlip] : [bySlip, ...yield* requests]
})

/**
 * Finds what a text means to an operator: an id, a slip, a whole reference or its last six characters, a request, a
 * service, a branch, a host of callbacks, an amount or a remark (docs/spec/http.md, "Search"). It shows no
 * personal data, and costs the same however many branches and verifications there are.
 */
export const find = Effect.fn("find")(function* (given: string) {
  const read = readSearchText(given)
  return { text: read.text, groups: read.text === "" ? [] : yield* groupsOf(read) } satisfies Found
})
