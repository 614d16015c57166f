import { Effect, Stream } from "effect"
import type { Headers, HttpServerRequest } from "effect/http"

/** Beyond this, and what its route would read, a body that nobody wants is cut off together with its connection. */
const MOST_DROPPED_BYTES = 32 * 1024 * 1024

/** Up to here the server does it by itself, after the answer. */
const DROPPED_ANYWAY_BYTES = 64 * 1024

/**
 * Reads what is left of a body and forgets it, before a refusal is sent: many clients look for no answer until they have
 * sent all of theirs, and would see a broken connection instead of the reason. A body that was read costs nothing here.
 */
export const dropBody = (
  request: HttpServerRequest.HttpServerRequest,
  headers: Headers.Headers,
  bodyBytes: number
): Effect.Effect<void> => {
  const most = Math.max(MOST_DROPPED_BYTES, bodyBytes)
  const announced = Number(headers["content-length"] ?? 0)
  const isWorthIt = headers["transfer-encoding"] !== undefined
    || (announced > DROPPED_ANYWAY_BYTES && announced <= most)
  if (!isWorthIt) return Effect.void
  return request.stream.pipe(
    Stream.mapAccum(() => 0, (before, chunk) => [before + chunk.length, [before + chunk.length]] as const),
    Stream.takeWhile((read) => read <= most),
    Stream.runDrain,
    // A caller that goes away in the middle reads no answer.
    Effect.ignore
  )
}
