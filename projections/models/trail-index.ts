import { Effect } from "effect"
import { disclosures, requests, slips, verifications } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"
import type { Projection } from "../engine/projection.ts"
import { OrderedSet } from "../engine/read-model.ts"

/** The read model `trail-index`: the streams of a request, of its subject, and of a branch. */
export const trailIndexModel = { name: "trail-index", version: 1 } as const

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
  /** Verifications of a branch that led to a slip or failed, scored by time in milliseconds. */
  verificationsOf: (branchId: string) => new OrderedSet(trailIndexModel, `branch:${branchId}`)
} as const

/**
 * The member for a stream with an event of a request. Request ids (`correlationId`) contain no space. Callers choose
 * them and may use one id for many requests. The stream of a callback is a member only when the request asked for a
 * redelivery: otherwise its job leads to it.
 */
export const ofRequest = (requestId: string, stream = ""): string => `${requestId} ${stream}`

/** Streams with events of a request, at most `limit`. Ids of requests are case-sensitive. */
export const streamsOfRequest = Effect.fnUntraced(function* (requestId: string, limit: number) {
  const prefix = ofRequest(requestId)
  const names = yield* trailSets.requests.names({ after: { member: prefix, score: 0 }, limit })
  // The range may go on with members of other requests.
  return names.flatMap((name) => name.startsWith(prefix) ? [name.slice(prefix.length)] : [])
})

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
  const { metadata: { correlationId }, stream } = recorded
  return isContinuation(recorded) ? [] : [trailSets.requests.add(ofRequest(correlationId, stream), 0)]
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
