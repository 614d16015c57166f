import { Effect } from "effect"
import { streamOf } from "../../domain/events/streams.ts"
import { slipDigest } from "../sealing/slip-sealing.ts"
import { duplicateSets } from "../../projections/models/duplicates.ts"
import { jobSets } from "../../projections/models/jobs.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { historyOf, streamOfVerification } from "./trail-subject.ts"

/** Streams read at a time. */
const AT_A_TIME = 10

/** The events that each of some things has, together. */
export const eventsOfEach = <A, E, R>(
  things: Iterable<A>,
  eventsOf: (thing: A) => Effect.Effect<ReadonlyArray<RecordedEvent>, E, R>
) => Effect.map(Effect.forEach(things, eventsOf, { concurrency: AT_A_TIME }), (events) => events.flat())

/** Where verifications stand in the log, and which of them: many may be of one slip, and stand in one stream. */
export const verificationsByStream = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const streams = yield* Effect.forEach(ids, streamOfVerification, { concurrency: AT_A_TIME })
  const byStream = new Map<string, Set<string>>()
  for (const [index, id] of ids.entries()) {
    const stream = streams[index]
    if (stream === undefined) continue
    byStream.set(stream, (byStream.get(stream) ?? new Set()).add(id.toLowerCase()))
  }
  return byStream
})

/** What verifications led to: in the slip's stream, or their own when they found nothing. */
export const verdictsOf = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, upTo?: number) {
  return yield* eventsOfEach(
    yield* verificationsByStream(ids),
    Effect.fnUntraced(function* ([stream, wanted]) {
      const events = yield* historyOf(stream, upTo)
      return events.filter(({ metadata }) => wanted.has(metadata.causationId))
    })
  )
})

/** What a verification led to. */
export const verdictOf = (id: string, upTo?: number) => verdictsOf([id], upTo)

/** From the acceptance of a job to the end of its callback; none when there is no such job. */
export const courseOf = Effect.fnUntraced(function* (id: string, upTo?: number) {
  const jobId = id.toLowerCase()
  const events = yield* historyOf(streamOf.job(jobId), upTo)
  return events.length === 0 ? [] : [...events, ...(yield* historyOf(streamOf.callback(jobId), upTo))]
})

/** Requests that led to what has this id, and looks at its personal data. */
export const eventsAround = Effect.fnUntraced(function* (id: string, upTo?: number) {
  const streams = yield* duplicateSets.related(id.toLowerCase()).names()
  const events = yield* eventsOfEach(streams, (stream) => historyOf(stream, upTo))
  // A key may have stood for other requests before and after.
  return events.filter(({ data: { subjectId } }) => subjectId === undefined || subjectId === id.toLowerCase())
})

const isText = (value: unknown): value is string => typeof value === "string"

/** What else happened around the verifications, jobs and batches that some events are about. */
export const eventsAroundAll = (events: ReadonlyArray<RecordedEvent>, upTo?: number) => {
  const ids = events.flatMap(({ data: { batchId, jobId, verificationId } }) => [batchId, jobId, verificationId])
  return eventsOfEach(new Set(ids.filter(isText)), (id) => eventsAround(id, upTo))
}

/** Where a slip was verified or looked for in vain, in every service. */
export const slipStreams = Effect.fnUntraced(function* (sendingBank: string, transRef: string) {
  const digest = yield* slipDigest(sendingBank, transRef)
  return yield* duplicateSets.ofSlip(digest).names()
})

/** The jobs in which a slip was read, whatever came of them. */
export const slipJobs = Effect.fnUntraced(function* (sendingBank: string, transRef: string) {
  const digest = yield* slipDigest(sendingBank, transRef)
  return yield* jobSets.ofSlip(digest).names()
})
