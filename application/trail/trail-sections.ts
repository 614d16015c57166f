import { Effect } from "effect"
import { streamOf } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { eventsOfRequestId, placesOf, requestIdOf, requestsOfClient } from "../../projections/models/trail-index.ts"
import { digestOfJobAlone } from "../sealing/sealed-data.ts"
import { type Section, single } from "./trail-page.ts"
import {
  historyOf,
  jobSegments,
  requestsNamed,
  type Segment,
  segmentsAround,
  verificationSegments
} from "./trail-sources.ts"

const segmentsOfVerification = Effect.fnUntraced(function* (id: string) {
  return [...yield* verificationSegments(id), ...yield* segmentsAround(id)]
})

/** The trail of a verification includes its job. */
export const verificationSections = (id: string): ReadonlyArray<Section> => [
  single("verification", segmentsOfVerification(id))
]

const segmentsOfJob = Effect.fnUntraced(function* (id: string) {
  const [enqueued] = yield* historyOf(streamOf.job(id), undefined, { limit: 1 })
  if (enqueued === undefined) return []
  const erasure: Segment = { stream: streamOf.erasure(yield* digestOfJobAlone(id)) }
  return [...yield* segmentsOfVerification(id), erasure]
})

export const jobSections = (id: string): ReadonlyArray<Section> => [single("job", segmentsOfJob(id))]

const isOfRequest = (requestId: string) => ({ metadata }: RecordedEvent): boolean =>
  metadata.correlationId === requestId

/** An event of a request, and what it led to in a job. */
const segmentsOfPlace = (requestId: string, member: string): ReadonlyArray<Segment> =>
  placesOf([member]).flatMap(({ revision, stream }) => {
    const has = isOfRequest(requestId)
    if (stream.startsWith("job-")) {
      return jobSegments(stream.slice("job-".length)).map((segment): Segment => ({ ...segment, has }))
    }
    // A redelivery leads to later events of its callback.
    return stream.startsWith("callback-")
      ? [{ stream, from: revision, has }]
      : [{ stream, from: revision, limit: 1, has }]
  })

/** The events of one request. */
const ownEvents = (requestId: string): Section => ({
  name: "request",
  items: (range) => eventsOfRequestId(requestId, range),
  segments: ({ member }) => Effect.succeed(segmentsOfPlace(requestId, member))
})

/** A request leads to few events: those of a batch are the most. */
const MAX_PLACES = 10_000

/** The requests to which callers gave an id. */
const clientRequests = (clientRequestId: string): Section => ({
  name: "client-requests",
  items: (range) => requestsOfClient(clientRequestId, range),
  segments: Effect.fnUntraced(function* ({ member }) {
    const requestId = requestIdOf(member)
    const places = yield* eventsOfRequestId(requestId, { limit: MAX_PLACES })
    return places.flatMap((place) => segmentsOfPlace(requestId, place.member))
  })
})

/** Everything that the requests with an id led to. */
export const requestSections = Effect.fnUntraced(function* (id: string) {
  const { isOfClients } = yield* requestsNamed(id)
  return [ownEvents(id), ...isOfClients ? [clientRequests(id)] : []] satisfies ReadonlyArray<Section>
})
