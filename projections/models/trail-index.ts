import { Effect } from "effect"
import { disclosures, requests, slips, verifications } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"
import type { Projection } from "../engine/projection.ts"
import { OrderedSet } from "../engine/read-model.ts"

/** The read model `trail-index`: which streams belong to a request, to what it led to, and to a branch. */
export const trailIndexModel = { name: "trail-index", version: 1 } as const

export const trailSets = {
  /**
   * Streams of requests that led, under this id, to a verification, a job, a batch or an account; and of disclosures of
   * the personal data of a verification, a job, a branch, or a slip by its digest. Scored by time in milliseconds.
   */
  related: (id: string) => new OrderedSet(trailIndexModel, `related:${id}`),
  /**
   * What requests led to: members are named by `ofRequest`, and all have the score 0, so that those of one request are
   * adjacent, in the order of their names. One set for all of them: a set for each would take five times the memory.
   */
  requests: new OrderedSet(trailIndexModel, "requests"),
  /** Verifications of a branch that led to a slip or failed, scored by time in milliseconds. */
  verificationsOf: (branchId: string) => new OrderedSet(trailIndexModel, `branch:${branchId}`)
} as const

/**
 * Names a stream that has an event of a request; ids of requests (`correlationId`) have no space. Callers choose these
 * ids and may give one to many requests. The streams of callbacks are not named: their jobs lead to them. One is named
 * when the request asked for a redelivery.
 */
export const ofRequest = (requestId: string, stream = ""): string => `${requestId} ${stream}`

/** Streams with events of a request, at most `limit`. Ids of requests are case-sensitive. */
export const streamsOfRequest = Effect.fnUntraced(function* (requestId: string, limit: number) {
  const prefix = ofRequest(requestId)
  const names = yield* trailSets.requests.names({ after: { member: prefix, score: 0 }, limit })
  // Those of other requests follow.
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
 * Later events of a job are under the id of the request that it began with: its first event leads to all of them. A
 * request for a redelivery is a request of its own.
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
