import { Effect } from "effect"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { streamOf } from "../../domain/events/aggregates.ts"
import { EventStore } from "../../ports/event-store.ts"
import { failuresOfSlip, placeOfVerification, streamsOfSlip } from "../../projections/models/duplicates.ts"
import { isLikeRequestId } from "../../domain/ids.ts"
import {
  eventsOfRequestId,
  type Place,
  placesOf,
  requestsOfClient,
  trailSets
} from "../../projections/models/trail-index.ts"
import { jobSets } from "../../projections/models/jobs.ts"
import { slipDigest } from "../sealing/sealed-data.ts"

/** A range of a stream that belongs to a trail. */
export interface Segment {
  readonly stream: string
  /** The first revision; 0 when it is absent. */
  readonly from?: number
  /** The number of events; all when it is absent. */
  readonly limit?: number
  /** Whether the trail contains an event; all when it is absent. */
  readonly has?: (event: RecordedEvent) => boolean
}

/**
 * The events of a stream, or of a range of it, up to a time in milliseconds. The result is always a prefix without gaps.
 * So it folds to a state that existed, even when the clocks of processes differ.
 */
export const historyOf = Effect.fnUntraced(function* (
  stream: string,
  upTo = Infinity,
  range: { readonly from?: number; readonly limit?: number } = {}
) {
  const events = yield* (yield* EventStore).readStream(stream, range)
  const end = events.findIndex(({ metadata }) => Date.parse(metadata.at) > upTo)
  return end === -1 ? events : events.slice(0, end)
})

/** The stream that records a verification: the slip's, or its own when it found no slip. */
export const streamOfVerification = (id: string) =>
  Effect.map(placeOfVerification(id.toLowerCase()), (row) => row?.stream)

/** The event of a verification. None for an unknown one, and while its job is open. */
export const verificationSegments = Effect.fnUntraced(function* (id: string) {
  const row = yield* placeOfVerification(id.toLowerCase())
  const segments: ReadonlyArray<Segment> = row === undefined
    ? []
    : [{ stream: row.stream, from: row.revision, limit: 1 }]
  return segments
})

/** A job and its callback. */
export const jobSegments = (id: string): ReadonlyArray<Segment> => [
  { stream: streamOf.job(id.toLowerCase()) },
  { stream: streamOf.callback(id.toLowerCase()) }
]

const isAbout = (id: string) => ({ data: { subjectId } }: RecordedEvent): boolean =>
  subjectId === undefined || subjectId === id

/**
 * The events at places of the trail index. A stream of an idempotency key also holds other requests that used the same
 * key. The event after the start of a request is its end.
 */
export const relatedSegment = (id: string, { revision, stream }: Place): Segment => ({
  stream,
  from: revision,
  limit: 2,
  has: isAbout(id)
})

/** Events of the requests that led to a subject, and disclosures of its personal data. */
export const relatedSegments = Effect.fnUntraced(function* (id: string) {
  const members = yield* trailSets.related(id).names()
  return placesOf(members).map((place) => relatedSegment(id, place))
})

/** The data of a job's first event; undefined when the id is of no job. The read model has recent jobs only. */
const enqueuedAs = Effect.fnUntraced(function* (id: string) {
  const [enqueued]: ReadonlyArray<RecordedEvent | undefined> = yield* historyOf(streamOf.job(id), undefined, {
    limit: 1
  })
  return enqueued?.data
})

/** All events of segments. */
export const eventsOfSegments = Effect.fnUntraced(function* (segments: ReadonlyArray<Segment>) {
  const events = yield* Effect.forEach(segments, ({ from = 0, has = () => true, limit, stream }) =>
    Effect.map(
      historyOf(stream, undefined, { from, ...limit === undefined ? {} : { limit } }),
      (found) => found.filter(has)
    ))
  return events.flat()
})

/** What belongs to a verification besides its own event: its job with the callback, its notes, and related events. */
export const segmentsAround = Effect.fnUntraced(function* (id: string) {
  const job = yield* enqueuedAs(id)
  const batchId = job?.["batchId"]
  const related = yield* Effect.forEach(typeof batchId === "string" ? [id, batchId] : [id], relatedSegments)
  return [
    ...job === undefined ? [] : jobSegments(id),
    { stream: streamOf.notes(id) },
    ...related.flat()
  ] satisfies ReadonlyArray<Segment>
})

/** Whether a slip was verified, with any outcome, or read by a job. */
export const isKnownSlip = Effect.fnUntraced(function* (sendingBank: string, transRef: string) {
  const digest = yield* slipDigest(sendingBank, transRef)
  if ((yield* streamsOfSlip(digest, 1)).length > 0) return true
  for (const set of [failuresOfSlip(digest), jobSets.ofSlip(digest)]) {
    if ((yield* set.count()) > 0) return true
  }
  return false
})

/**
 * What an id of requests stands for: a request of the service, requests to which callers gave the id, or both. An id that
 * the service made stands for its request alone, so that no caller can add requests to it. Other ids also stand for
 * requests of old logs, whose ids callers chose.
 */
export const requestsNamed = Effect.fnUntraced(function* (id: string) {
  const hasEvents = (yield* eventsOfRequestId(id, { limit: 1 })).length > 0
  const isOfClients = !(hasEvents && isLikeRequestId(id)) && (yield* requestsOfClient(id, { limit: 1 })).length > 0
  return { hasEvents, isOfClients }
})

/** Whether a request with this id, of the service or of its caller, led to any event. Ids are case-sensitive. */
export const isRequest = (id: string) =>
  Effect.map(requestsNamed(id), ({ hasEvents, isOfClients }) => hasEvents || isOfClients)
