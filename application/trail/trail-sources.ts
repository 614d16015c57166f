import { Effect } from "effect"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { streamOf } from "../../domain/events/aggregates.ts"
import { isLikeRequestId } from "../../domain/ids.ts"
import { EventStore } from "../../ports/event-store.ts"
import { streamsOfSlip, verificationRows } from "../../projections/models/duplicates.ts"
import { requestsOfClient, streamsOfRequest, trailSets } from "../../projections/models/trail-index.ts"
import { jobSets } from "../../projections/models/jobs.ts"
import { slipDigest } from "../sealing/sealed-data.ts"

/** Streams read at a time. */
const CONCURRENCY = 10

/** The most streams read for one id of requests. Callers may send the same id with all requests. */
const MAX_STREAMS = 1_000

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

/** The events of each item in one list. */
export const eventsOfEach = <A, E, R>(
  items: Iterable<A>,
  eventsOf: (item: A) => Effect.Effect<ReadonlyArray<RecordedEvent>, E, R>
) => Effect.map(Effect.forEach(items, eventsOf, { concurrency: CONCURRENCY }), (events) => events.flat())

/** The stream that records a verification: the slip's, or its own when it found no slip. */
export const streamOfVerification = (id: string) =>
  Effect.map(verificationRows.get(id.toLowerCase()), (row) => row?.stream)

/** Verifications that one stream records. */
interface InStream {
  readonly ids: Set<string>
  /** The range of the stream that has their events. */
  readonly from: number
  readonly limit: number
}

/** Verifications by the stream that records them: the stream of a slip records many. */
export const verificationsByStream = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const rows = yield* Effect.forEach(ids, (id) => verificationRows.get(id.toLowerCase()), { concurrency: CONCURRENCY })
  const byStream = new Map<string, InStream>()
  for (const [index, id] of ids.entries()) {
    const row = rows[index]
    if (row === undefined) continue
    const { revision, stream } = row
    const known = byStream.get(stream) ?? { ids: new Set<string>(), from: revision, limit: 1 }
    const from = Math.min(known.from, revision)
    const last = Math.max(known.from + known.limit - 1, revision)
    byStream.set(stream, { ids: known.ids.add(id.toLowerCase()), from, limit: last - from + 1 })
  }
  return byStream
})

export const eventsOfVerifications = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, upTo?: number) {
  return yield* eventsOfEach(
    yield* verificationsByStream(ids),
    Effect.fnUntraced(function* ([stream, { ids: idsOfStream, ...range }]) {
      const events = yield* historyOf(stream, upTo, range)
      return events.filter(({ metadata }) => idsOfStream.has(metadata.causationId))
    })
  )
})

/** The events of a job and its callback; empty when there is no such job. */
export const eventsOfJob = Effect.fnUntraced(function* (id: string, upTo?: number) {
  const jobId = id.toLowerCase()
  const events = yield* historyOf(streamOf.job(jobId), upTo)
  return events.length === 0 ? [] : [...events, ...(yield* historyOf(streamOf.callback(jobId), upTo))]
})

/** Events of the requests that led to a subject, and disclosures of its personal data. */
export const relatedEvents = Effect.fnUntraced(function* (id: string, upTo?: number) {
  const streams = yield* trailSets.related(id.toLowerCase()).names()
  const events = yield* eventsOfEach(streams, (stream) => historyOf(stream, upTo))
  // A stream of an idempotency key also holds other requests that used the same key.
  return events.filter(({ data: { subjectId } }) => subjectId === undefined || subjectId === id.toLowerCase())
})

const isString = (value: unknown): value is string => typeof value === "string"

/** The related events of all verifications, jobs and batches that some events name. */
export const relatedEventsOfAll = (events: ReadonlyArray<RecordedEvent>, upTo?: number) => {
  const ids = events.flatMap(({ data: { batchId, jobId, verificationId } }) => [batchId, jobId, verificationId])
  return eventsOfEach(new Set(ids.filter(isString)), (id) => relatedEvents(id, upTo))
}

/** The streams that record a slip's verifications in every service, successful or not. */
export const slipStreams = Effect.fnUntraced(function* (sendingBank: string, transRef: string) {
  return yield* streamsOfSlip(yield* slipDigest(sendingBank, transRef)).names()
})

/** The jobs in which a slip was read, with any outcome. */
export const slipJobs = Effect.fnUntraced(function* (sendingBank: string, transRef: string) {
  return yield* jobSets.ofSlip(yield* slipDigest(sendingBank, transRef)).names()
})

/**
 * The ids of the requests that an id stands for: the service's own, or those to which callers gave the id. An id that
 * the service made stands for its request alone, so that no caller can add requests to it. Other ids also stand for
 * requests of old logs, whose ids callers chose.
 */
const requestsNamed = Effect.fnUntraced(function* (id: string, limit: number) {
  const isOwn = (yield* streamsOfRequest(id, 1)).length > 0
  if (isOwn && isLikeRequestId(id)) return [id]
  const named = yield* requestsOfClient(id, limit)
  return isOwn ? [id, ...named] : named
})

/** Whether a request with this id, of the service or of its caller, led to any event. Ids are case-sensitive. */
export const isRequest = (id: string) => Effect.map(requestsNamed(id, 1), (ids) => ids.length > 0)

/**
 * The events that a request led to, from at most a thousand streams; `isTruncated` when there are more streams. `id` is
 * the service's id of the request, or an id that callers gave to one or more requests.
 */
export const eventsOfRequest = Effect.fnUntraced(function* (id: string, upTo?: number) {
  const ids = new Set(yield* requestsNamed(id, MAX_STREAMS + 1))
  const found = yield* Effect.forEach(ids, (requestId) => streamsOfRequest(requestId, MAX_STREAMS + 1), {
    concurrency: CONCURRENCY
  })
  const streams = [...new Set(found.flat())]
  const events = yield* eventsOfEach(
    streams.slice(0, MAX_STREAMS),
    (stream) => stream.startsWith("job-") ? eventsOfJob(stream.slice("job-".length), upTo) : historyOf(stream, upTo)
  )
  return {
    events: events.filter(({ metadata }) => ids.has(metadata.correlationId)),
    isTruncated: streams.length > MAX_STREAMS || ids.size > MAX_STREAMS
  }
})
