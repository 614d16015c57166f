import { Effect, Schema } from "effect"
import { disclosures, requests, slips, verifications } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"
import type { Projection } from "../engine/projection.ts"
import { OrderedSet, Table } from "../engine/read-model.ts"

/**
 * The read model `duplicates`: where each slip was verified and each verification is recorded, and which streams belong
 * to a branch, a request or what was done to them. The slip's stream decides what is a duplicate; this model is for
 * looking things up.
 */
export const duplicatesModel = { name: "duplicates", version: 3 } as const

/** By verification id: the stream that has it, which is the slip's, or its own when it found nothing. */
export const verificationRows = new Table(
  duplicatesModel,
  "verifications",
  Schema.Struct({ stream: Schema.String })
)

export const duplicateSets = {
  /** Streams in which one slip was verified or not found, across services. */
  ofSlip: (slipDigest: string) => new OrderedSet(duplicatesModel, `slip:${slipDigest}`),
  /**
   * Streams of requests that led, under this id, to a verification, a job, a batch or an account; and of disclosures of
   * the personal data of a verification, a job, a branch, or a slip by its digest. Scored by time in milliseconds.
   */
  related: (id: string) => new OrderedSet(duplicatesModel, `around:${id}`),
  /**
   * What requests led to: members are named by `ofRequest`, and all have the score 0, so that those of one request are
   * adjacent, in the order of their names. One set for all of them: a set for each would take five times the memory.
   */
  requests: new OrderedSet(duplicatesModel, "requests"),
  /** Verifications of a branch that led to a slip or failed, scored by time in milliseconds. */
  ofBranch: (branchId: string) => new OrderedSet(duplicatesModel, `branch:${branchId}`)
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
  const names = yield* duplicateSets.requests.names({ after: { member: prefix, score: 0 }, limit })
  // Those of other requests follow.
  return names.flatMap((name) => name.startsWith(prefix) ? [name.slice(prefix.length)] : [])
})

const placed = (
  { metadata: { at }, stream }: RecordedEvent,
  verificationId: string,
  branchId: string,
  slipDigest: string | null
): ReadonlyArray<Write> => [
  verificationRows.set(verificationId, { stream }),
  duplicateSets.ofBranch(branchId).add(verificationId, at),
  ...(slipDigest === null ? [] : [duplicateSets.ofSlip(slipDigest).add(stream, at)])
]

const related = (ids: ReadonlyArray<string>, { metadata, stream }: RecordedEvent): ReadonlyArray<Write> =>
  ids.map((id) => duplicateSets.related(id).add(stream, metadata.at))

const ofSubject = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const { stream } = recorded
  if (stream.startsWith("request-")) {
    const event = requests.codec.decode(recorded)
    return event._tag === "RequestBegun" ? related([event.subjectId], recorded) : []
  }
  if (stream.startsWith("reveal-")) {
    const { branchId, subject } = disclosures.codec.decode(recorded)
    return related([subject?.id, branchId].filter((id) => typeof id === "string"), recorded)
  }
  if (stream.startsWith("verification-")) {
    const { branchId, slipDigest, verificationId } = verifications.codec.decode(recorded)
    return placed(recorded, verificationId, branchId, slipDigest)
  }
  if (stream.startsWith("slip-")) {
    const event = slips.codec.decode(recorded)
    return placed(recorded, event.verificationId, event.branchId, stream.slice(stream.lastIndexOf("-") + 1))
  }
  return []
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
  return isContinuation(recorded) ? [] : [duplicateSets.requests.add(ofRequest(correlationId, stream), 0)]
}

export const duplicatesProjection: Projection = {
  ...duplicatesModel,
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
