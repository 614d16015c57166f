import { Effect } from "effect"
import { streamOf } from "../../domain/events/aggregates.ts"
import { isBefore, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { failuresOfSlip, placeOfVerification, streamsOfSlip } from "../../projections/models/duplicates.ts"
import { jobSets } from "../../projections/models/jobs.ts"
import { placesOf, trailSets } from "../../projections/models/trail-index.ts"
import { slipDigest } from "../sealing/sealed-data.ts"
import { type Section, single, type TrailItem } from "./trail-page.ts"
import { historyOf, relatedSegment, segmentsAround } from "./trail-sources.ts"

const FAILED = "verification-"

/** The verifications of a slip in one service. Each event of the stream is one verification, and its id the cause. */
const verified = (stream: string, upTo: number | undefined): Section => ({
  name: stream,
  items: Effect.fnUntraced(function* ({ after, limit }) {
    const events = yield* historyOf(stream, upTo, { from: after === undefined ? 0 : after.score + 1, limit })
    return events.map((event): TrailItem => ({
      member: event.metadata.causationId,
      score: event.revision,
      event
    }))
  }),
  segments: ({ member }) => segmentsAround(member)
})

/** Verifications that found no slip. */
const failed = (digest: string, upTo: number | undefined): Section => ({
  name: "failures",
  items: (range) => failuresOfSlip(digest).members({ ...range, ...upTo === undefined ? {} : { to: upTo } }),
  segments: Effect.fnUntraced(function* ({ member: stream }) {
    return [{ stream }, ...yield* segmentsAround(stream.slice(FAILED.length))]
  })
})

/** Whether the verification of a job is in a slip's stream at the time: its section has the job then. */
const isVerified = Effect.fnUntraced(function* (jobId: string, upTo: number | undefined) {
  const row = yield* placeOfVerification(jobId)
  return row !== undefined && row.stream.startsWith("slip-")
    && (yield* historyOf(row.stream, upTo, { from: row.revision, limit: 1 })).length > 0
})

/** Jobs that read the slip and did not verify it, or not yet. */
const openOrFailed = (digest: string, upTo: number | undefined): Section => ({
  name: "jobs",
  items: (range) => jobSets.ofSlip(digest).members(range),
  segments: Effect.fnUntraced(function* ({ member }) {
    return (yield* isVerified(member, upTo)) ? [] : yield* segmentsAround(member)
  })
})

/** Disclosures of a subject's personal data, and requests about it. */
export const disclosures = (id: string): Section => ({
  name: "disclosures",
  items: (range) => trailSets.related(id).members(range),
  segments: ({ member }) => Effect.succeed(placesOf([member]).map((place) => relatedSegment(id, place)))
})

const inLogOrder = ([one]: ReadonlyArray<RecordedEvent>, [other]: ReadonlyArray<RecordedEvent>): number =>
  one === undefined || other === undefined || isBefore(one.position, other.position) ? -1 : 1

/** The streams of a slip in each service, oldest first: a stream that begins later does not move the others. */
const streamsInOrder = Effect.fnUntraced(function* (digest: string) {
  const streams = yield* streamsOfSlip(digest)
  const first = yield* Effect.forEach(streams, (stream) => historyOf(stream, undefined, { limit: 1 }))
  return first.sort(inLogOrder).flatMap((events) => events.map(({ stream }) => stream))
})

/** Verifications, service by service; failures; jobs without a result; disclosures; the erasure. */
export const slipSections = Effect.fnUntraced(
  function* (sendingBank: string, transRef: string, upTo: number | undefined) {
    const digest = yield* slipDigest(sendingBank, transRef)
    return [
      ...(yield* streamsInOrder(digest)).map((stream) => verified(stream, upTo)),
      failed(digest, upTo),
      openOrFailed(digest, upTo),
      disclosures(digest),
      single("erasure", Effect.succeed([{ stream: streamOf.erasure(digest) }]))
    ] satisfies ReadonlyArray<Section>
  }
)
