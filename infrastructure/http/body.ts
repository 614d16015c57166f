import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Scope } from "effect"
import { invalid, type InvalidInput } from "../input/decode.ts"
import { type ApiError, apiError } from "./api/failures.ts"
import type { ReceivedBody } from "./bodies/normalize-slip.ts"
import type { BudgetRefusal, Reservation } from "./bodies/body-budget.ts"
import { DEFAULT_JSON_LIMITS, isJsonType, type JsonLimits, MULTIPART, structureFault } from "./bodies/decode-body.ts"
import {
  BodyOverBudget,
  BodyUnread,
  type Bytes,
  checkingStart,
  inChunks,
  LARGE_BODY_BYTES,
  ofLength,
  receive,
  type Unread
} from "./bodies/receive-body.ts"
import { RequestBodies } from "./bodies/request-bodies.ts"
import { type Exchange, isReadByServer, MAX_BODY_BYTES } from "./endpoint.ts"

/** How a body is read. */
export interface ReadOptions {
  /** Whose budget the body counts against: the id of a branch, or another name. */
  readonly owner: string
  /** The media types of forms that are accepted; multipart by default. */
  readonly forms?: ReadonlyArray<string> | undefined
  readonly limits?: JsonLimits | undefined
  /** Whether the fields are those of a slip. */
  readonly isSlip?: boolean
  /** Runs when a large body is refused for its structure. */
  readonly onTooComplex?: Effect.Effect<void>
}

/** A received body; `digest` is undefined when the request needs none, or the body is small. */
export interface ReadBody extends ReceivedBody {
  readonly digest: string | undefined
}

/** Reserves the announced bytes of a large body in the owner's turn, until the scope closes. */
const reserve = ({ bodyBytes, headers }: Exchange, owner: string, scope: Scope.Scope) =>
  Effect.flatMap(RequestBodies, ({ budget, maxWaitMillis }) => {
    const announced = headers["content-length"]
    // The server's own reader does not report chunks.
    const bytes = announced === undefined ? isReadByServer(headers) ? bodyBytes : 0 : Number(announced)
    const reservation = budget.reserve(owner)
    return announced !== undefined && bytes <= LARGE_BODY_BYTES
      ? Effect.succeed(reservation)
      : addInTurn(reservation, bytes, maxWaitMillis, scope)
  })

const addInTurn = Effect.fnUntraced(function* (
  reservation: Reservation,
  bytes: number,
  maxWaitMillis: number,
  scope: Scope.Scope
) {
  yield* Scope.addFinalizer(scope, Effect.sync(reservation.release))
  if (bytes <= LARGE_BODY_BYTES) return reservation
  const refusal = yield* Effect.timeoutOrElse(reservation.addInTurn(bytes), {
    duration: maxWaitMillis,
    orElse: () => Effect.succeed<BudgetRefusal>("owner")
  })
  if (refusal !== undefined) return yield* new BodyOverBudget({ refusal })
  return reservation
})

/** Reads the bytes of a body, up to `bodyBytes`. `faultOf` is what is wrong with the beginning of a large body. */
const readBytes = (
  exchange: Exchange,
  owner: string,
  scope: Scope.Scope,
  faultOf: (start: Bytes) => string | undefined
) =>
  Effect.flatMap(reserve(exchange, owner, scope), (reservation): Effect.Effect<Bytes, Unread> => {
    const { bodyBytes, headers, request } = exchange
    if (isReadByServer(headers)) {
      return Effect.mapBoth(request.arrayBuffer, {
        onSuccess: (buffer): Bytes => new Uint8Array(buffer),
        onFailure: () => new BodyUnread()
      })
    }
    const length = headers["content-length"]
    const received = length === undefined ? inChunks(bodyBytes, reservation) : ofLength(Number(length))
    return Effect.flatMap(
      RequestBodies,
      ({ idleMillis }) => receive(toIncomingMessage(request), checkingStart(received, faultOf), idleMillis)
    )
  })

/** When a caller may try again whose body does not fit into a budget, in seconds. */
const BUDGET_RETRY_SECONDS = 1

const tooLarge = (maxBytes: number): ApiError | InvalidInput =>
  maxBytes === MAX_BODY_BYTES
    ? apiError("IMAGE_SIZE_TOO_LARGE")
    : invalid({ path: "", message: `The body is larger than ${maxBytes} bytes` })

const toFailure = (fault: Unread, { answerHeaders, bodyBytes }: Exchange): ApiError | InvalidInput => {
  switch (fault._tag) {
    case "BodyUnread":
      return tooLarge(bodyBytes)
    case "BodyStalled":
      // The rest may never arrive: it is not waited for.
      answerHeaders["connection"] = "close"
      return invalid({ path: "", message: "The body took too long to arrive. Send it without pauses." })
    case "BodyTooComplex":
      return invalid({ path: "", message: fault.fault })
    case "BodyOverBudget":
      return fault.refusal === "owner"
        ? apiError("RATE_LIMIT_EXCEEDED", {
          message: "Too many bytes of this branch are being received. Send fewer large bodies at a time.",
          retryAfterSeconds: BUDGET_RETRY_SECONDS
        })
        : apiError("API_SERVER_ERROR", {
          isOverload: true,
          message: "The service receives too many large bodies now. Send the request again later.",
          retryAfterSeconds: BUDGET_RETRY_SECONDS
        })
  }
}

/** The method and the path of a request. */
export const routeOf = ({ request }: Exchange): string => `${request.method} ${request.url.split("?", 1)[0]}`

/**
 * Reads a body of JSON, or of a form whose media type is one of `forms`. A body without a content type is JSON. A body
 * above the limit of one slip fails with IMAGE_SIZE_TOO_LARGE (docs/spec/http.md, "Limits"). Every other fault of the
 * body is a VALIDATION_ERROR. The body counts against the budgets until the scope closes.
 */
export const readBody = Effect.fnUntraced(function* (exchange: Exchange, options: ReadOptions, scope: Scope.Scope) {
  const { bodyBytes, headers } = exchange
  const { forms = [MULTIPART], isSlip = false, limits = DEFAULT_JSON_LIMITS, onTooComplex = Effect.void, owner } =
    options
  const contentType = headers["content-type"] ?? "application/json"
  const mediaType = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? ""
  if (!isJsonType(mediaType) && !forms.includes(mediaType)) {
    return yield* invalid({ path: "", message: `Send application/json or ${forms.join(" or ")}` })
  }
  if (Number(headers["content-length"] ?? 0) > bodyBytes) return yield* tooLarge(bodyBytes)
  const faultOf = (start: Bytes) => structureFault({ bytes: start, mediaType, limits })
  const bytes = yield* readBytes(exchange, owner, scope, faultOf).pipe(
    Effect.tapErrorTag("BodyTooComplex", () => onTooComplex),
    Effect.mapError((fault) => toFailure(fault, exchange))
  )
  const isLargeAndKeyed = headers["idempotency-key"] !== undefined && bytes.length > LARGE_BODY_BYTES
  const digestRoute = isLargeAndKeyed ? routeOf(exchange) : undefined
  const { decode } = yield* RequestBodies
  const decoded = yield* decode(owner, { bytes, mediaType, contentType, limits, isSlip, digestRoute }).pipe(
    Effect.tapError(({ cause }) => Effect.logError("A body could not be decoded", cause)),
    Effect.mapError(() => apiError("API_SERVER_ERROR", { isOverload: true, retryAfterSeconds: BUDGET_RETRY_SECONDS }))
  )
  if ("fault" in decoded) return yield* invalid({ path: "", message: decoded.fault })
  return decoded satisfies ReadBody
})

const NO_BODY: ReadBody = { isForm: false, fields: {}, digest: undefined }

/** An optional body; without fields when there is none. */
export const readOptionalBody = Effect.fnUntraced(function* (
  exchange: Exchange,
  options: ReadOptions,
  scope: Scope.Scope
) {
  const { "content-length": length, "transfer-encoding": encoding } = exchange.headers
  if (length === "0" || (length === undefined && encoding === undefined)) return NO_BODY
  return yield* readBody(exchange, options, scope)
})
