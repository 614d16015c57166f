import { type Headers, HttpServerResponse } from "effect/http"
import { uuidV7 } from "../../../platform/uuid.ts"
import { isRequestId } from "../../../../domain/ids.ts"
import { parseTraceparent, requestIdIn } from "../../../platform/telemetry/trace-ids.ts"

/**
 * A new id for a request. The caller cannot choose it, so no request can take the id of another. It contains the trace
 * id of the caller's `traceparent` (W3C Trace Context): later work reads its trace from the request id alone.
 */
export const makeRequestId = (headers: Headers.Headers): string => {
  const callerTrace = parseTraceparent(headers["traceparent"])
  return callerTrace === undefined ? uuidV7() : requestIdIn(callerTrace)
}

/** The caller's own id of a request, from `X-Request-Id`; undefined without one, or when it is invalid. */
export const clientRequestIdOf = (headers: Headers.Headers): string | undefined => {
  const given = headers["x-request-id"]
  return given !== undefined && isRequestId(given) ? given : undefined
}

/** The answer with the caller's own id, if it sent one. */
export const echoClientRequestId = (
  response: HttpServerResponse.HttpServerResponse,
  clientRequestId: string | undefined
): HttpServerResponse.HttpServerResponse =>
  clientRequestId === undefined
    ? response
    : HttpServerResponse.setHeader(response, "x-client-request-id", clientRequestId)
