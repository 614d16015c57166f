import { Effect } from "effect"
import { streamsOfRequest } from "../../projections/models/duplicates.ts"
import { courseOf, eventsOfEach } from "./trail-sources.ts"
import { historyOf } from "./trail-subject.ts"

/** In how many streams it is looked. Callers choose the ids of their requests: one may give the same to all of them. */
const MOST = 1_000

/** Whether anything came of a request with this id. Ids of requests are told apart by their case. */
export const isRequest = (requestId: string) =>
  Effect.map(streamsOfRequest(requestId, 1), (streams) => streams.length > 0)

const historiesOf = (stream: string, upTo: number | undefined) =>
  stream.startsWith("job-") ? courseOf(stream.slice("job-".length), upTo) : historyOf(stream, upTo)

/**
 * What a request led to, in whichever streams, to the end of its jobs and their callbacks. Of a request id under which
 * there is something in more than a thousand streams, what stands in a thousand of them; then `isTruncated`.
 */
export const eventsOfRequest = Effect.fnUntraced(function* (requestId: string, upTo?: number) {
  const streams = yield* streamsOfRequest(requestId, MOST + 1)
  const events = yield* eventsOfEach(streams.slice(0, MOST), (stream) => historiesOf(stream, upTo))
  return {
    events: events.filter(({ metadata }) => metadata.correlationId === requestId),
    isTruncated: streams.length > MOST
  }
})
