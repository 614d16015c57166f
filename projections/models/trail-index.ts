import { Effect } from "effect"
import { disclosures, requests, slips, verifications } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"
import type { Projection } from "../engine/projection.ts"
import { OrderedSet } from "../engine/read-model.ts"

/** The read model `trail-index`: the streams of a request, of its subject, and of a branch, and the ids of callers. */
export const trailIndexModel = { name: "trail-index", version: 2 } as const

export const trailSets = {
  /**
   * Streams of a subject's requests and disclosures, scored by time in milliseconds. For a request, the id is that of
   * the verification, job, batch or account that it led to. For a disclosure, it is that of the verification, job or
   * branch whose personal data was shown, or a slip's digest.
   */
  related: (id: string) => new OrderedSet(trailIndexModel, `related:${id}`),
  /**
   * Streams with events of requests. `ofRequest` makes the members. All have the score 0, so the members of one request
   * are adjacent, in the order of their names. A set for each request would need five times the memory.
   */
  requests: new OrderedSet(trailIndexModel, "requests"),
  /** Requests by the ids that callers gave them. `ofClientRequest` makes the members. All have the score 0. */
  clientRequests: new OrderedSet(trailIndexModel, "clientRequests"),
  /** Verifications of a branch that led to a slip or failed, scored by time in milliseconds. */
  verificationsOf: (branchId: string) => new OrderedSet(trailIndexModel, `branch:${branchId}`)
} as const

/**
 * The member for a stream with an event of a request. Request ids (`correlationId`) contain no space. In old logs callers
 * chose them, and may have used one id for many requests. The stream of a callback is a member only when the request
 * asked for a redelivery: otherwise its job leads to it.
 */
export const ofRequest = (requestId: string, stream = ""): string => `${requestId} ${stream}`

/** The member for a request with an id of its caller. A caller may use one id for many requests. */
export const ofClientRequest = (clientRequestId: string, requestId = ""): string => `${clientRequestId} ${requestId}`

/** Most requests have fewer members. */
const FIRST_PAGE = 16

/** The rest of the members that begin with a prefix, at most `limit`. */
const namesAfter = Effect.fnUntraced(function* (set: OrderedSet, prefix: string, limit: number) {
  const found: Array<string> = []
  let last = prefix
  // The range goes on with members of other requests, so it is read in pages that grow.
  for (let page = FIRST_PAGE;; page *= 4) {
    const size = Math.min(page, limit - found.length)
    const names = yield* set.names({ after: { member: last, score: 0 }, limit: size })
    const own = names.filter((name) => name.startsWith(prefix))
    found.push(...own.map((name) => name.slice(prefix.length)))
    if (own.length < size || found.length === limit) return found
    last = own.at(-1) ?? prefix
  }
})

/** Streams with events of a request, at most `limit`. Ids of requests are case-sensitive. */
export const streamsOfRequest = (requestId: string, limit: number) =>
  namesAfter(trailSets.requests, ofRequest(requestId), limit)

/** The ids of the requests that have an id of their caller and led to events, at most `limit`. */
export const requestsOfClient = (clientRequestId: string, limit: number) =>
  namesAfter(trailSets.clientRequests, ofClientRequest(clientRequestId), limit)

const related = (ids: ReadonlyArray<string>, { metadata, stream }: RecordedEvent): ReadonlyArray<Write> =>
  ids.map((id) => trailSets.related(id).add(stream, metadata.at))

const ofSubject = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const { metadata: { at }, stream } = recorded
  if (stream.startsWith("request-")) {
    const event = requests.codec.decode(recorded)
    return event._tag === "RequestBegun" ? related([event.subjectId], recorded) : []
  }
  if (stream.startsWith("reveal-")) {
    const { branchId, subject } = disclosures.codec.decode(recorded)
    return related([subject?.id, branchId].filter((id) => typeof id === "string"), recorded)
  }
  const aggregate = stream.startsWith("slip-") ? slips : stream.startsWith("verification-") ? verifications : undefined
  if (aggregate === undefined) return []
  const { branchId, verificationId } = aggregate.codec.decode(recorded)
  return [trailSets.verificationsOf(branchId).add(verificationId, at)]
}

/**
 * Whether an event continues a job. Such events have the correlation id of the request that enqueued the job, and the
 * job's first event leads to them. A request for a redelivery has its own id.
 */
const isContinuation = ({ stream, type }: RecordedEvent): boolean =>
  (stream.startsWith("job-") && type !== "VerificationEnqueued")
  || (stream.startsWith("callback-") && type !== "CallbackRedeliveryRequested")

const ofCorrelation = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const { metadata: { clientRequestId, correlationId }, stream } = recorded
  if (isContinuation(recorded)) return []
  const ofStream = trailSets.requests.add(ofRequest(correlationId, stream), 0)
  return clientRequestId === undefined
    ? [ofStream]
    : [ofStream, trailSets.clientRequests.add(ofClientRequest(clientRequestId, correlationId), 0)]
}

export const trailIndexProjection: Projection = {
  ...trailIndexModel,
  streams: [
    "slip-",
    "verification-",
    "job-",
    "callback-",
    "request-",
    "reveal-",
    "forgotten-",
    "bankAccount-",
    "branch-",
    "service-",
    "account-"
  ],
  when: (recorded) => [...ofSubject(recorded), ...ofCorrelation(recorded)]
}
