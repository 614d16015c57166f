import { toIncomingMessage, toServerResponse } from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Scope } from "effect"
import { invalid, type InvalidInput } from "../../input/decode.ts"
import { type ApiError, apiError } from "../../api/failures.ts"
import type { ReceivedBody } from "../bodies/normalize-slip.ts"
import type { KnownFields, RequestDigests } from "../bodies/request-digests.ts"
import type { BudgetRefusal, Reservation } from "../bodies/body-budget.ts"
import { DEFAULT_JSON_LIMITS, type JsonLimits } from "../../api/body-limits.ts"
import { MULTIPART, structureFault } from "../bodies/decode-body.ts"
import {
  BodyOverBudget,
  type Bytes,
  checkingStart,
  inChunks,
  LARGE_BODY_BYTES,
  ofLength,
  receive,
  type Unread
} from "../bodies/receive-body.ts"
import { receiveGzip } from "../bodies/receive-gzip.ts"
import { RequestBodies } from "../bodies/request-bodies.ts"
import { declaredType, isAcceptable, type JsonReading, refusalOfType, typeOfBody } from "./body-type.ts"
import { type Exchange, MAX_BODY_BYTES } from "../server/endpoint.ts"
import { isWaitingForContinue } from "../server/expect-continue.ts"

/** How a body is read. */
export interface ReadOptions {
  /** Whose budget the body counts against: the id of a branch, or another name. */
  readonly owner: string
  readonly json: JsonReading
  /** The media types of forms that are accepted; multipart by default. */
  readonly forms?: ReadonlyArray<string>
  readonly limits?: JsonLimits | undefined
  /** Whether the fields are those of a slip. */
  readonly isSlip?: boolean
  /** The fields that count for an `Idempotency-Key`. */
  readonly known?: KnownFields
  /** Runs when a large body is refused for its structure. */
  readonly onTooComplex?: Effect.Effect<void>
}

/** A received body; without digests when the request needs none, or the body is small. */
export interface ReadBody extends ReceivedBody, Partial<RequestDigests> {}

/** The announced length of a body; undefined when the length of what is decoded is not known. */
const announcedBytes = (headers: Exchange["headers"], isGzip: boolean): number | undefined => {
  const length = headers["content-length"]
  return length === undefined || isGzip ? undefined : Number(length)
}

/** Reserves the announced bytes of a large body in the owner's turn, until the scope closes. */
const reserve = (announced: number | undefined, owner: string, scope: Scope.Scope) =>
  Effect.flatMap(RequestBodies, ({ budget, maxWaitMillis }) => {
    const reservation = budget.reserve(owner)
    return announced !== undefined && announced <= LARGE_BODY_BYTES
      ? Effect.succeed(reservation)
      : addInTurn(reservation, announced ?? 0, maxWaitMillis, scope)
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
  { bodyBytes, headers, request }: Exchange,
  isGzip: boolean,
  owner: string,
  scope: Scope.Scope,
  faultOf: (start: Bytes) => string | undefined
) => {
  const announced = announcedBytes(headers, isGzip)
  return Effect.flatMap(
    reserve(announced, owner, scope),
    (reservation) =>
      Effect.flatMap(RequestBodies, ({ idleMillis }): Effect.Effect<Bytes, Unread> => {
        const message = toIncomingMessage(request)
        if (isWaitingForContinue(message)) toServerResponse(request).writeContinue()
        const received = checkingStart(
          announced === undefined ? inChunks(bodyBytes, reservation) : ofLength(announced),
          faultOf
        )
        return isGzip
          ? receiveGzip(message, received, { maxBytes: bodyBytes, idleMillis })
          : receive(message, received, idleMillis)
      })
  )
}

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
    case "BodyDamaged":
      return invalid({
        path: "",
        message: "The body is not gzip, or was cut off. Send it whole, or without Content-Encoding."
      })
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
 * Reads a body of JSON, or of a form whose media type is one of `forms`, as it is or compressed with gzip. A body above
 * the limit of one slip fails with IMAGE_SIZE_TOO_LARGE (docs/spec/http.md, "Limits"), and one in another encoding with
 * UNSUPPORTED_CONTENT_ENCODING. Every other fault of the body is a VALIDATION_ERROR. The body counts against the budgets
 * until the scope closes.
 */
export const readBody = Effect.fnUntraced(function* (exchange: Exchange, options: ReadOptions, scope: Scope.Scope) {
  const { bodyBytes, headers } = exchange
  const { forms = [MULTIPART], isSlip = false, json, known, limits = DEFAULT_JSON_LIMITS } = options
  const { onTooComplex = Effect.void, owner } = options
  const rules = { forms, json }
  const contentType = headers["content-type"] ?? ""
  const declared = declaredType(contentType)
  if (!isAcceptable(declared, rules)) return yield* invalid({ path: "", message: refusalOfType(rules) })
  const isGzip = headers["content-encoding"] !== undefined && (yield* readsGzip(exchange))
  if (Number(headers["content-length"] ?? 0) > bodyBytes) return yield* tooLarge(bodyBytes)
  const faultOf = (start: Bytes) => {
    const mediaType = typeOfBody(declared, start, rules)
    return mediaType === undefined
      ? refusalOfType(rules)
      : structureFault({ bytes: start, mediaType, contentType, limits })
  }
  const bytes = yield* readBytes(exchange, isGzip, owner, scope, faultOf).pipe(
    Effect.tapErrorTag("BodyTooComplex", () => onTooComplex),
    Effect.mapError((fault) => toFailure(fault, exchange))
  )
  const mediaType = typeOfBody(declared, bytes, rules)
  if (mediaType === undefined) return yield* invalid({ path: "", message: refusalOfType(rules) })
  const isLargeAndKeyed = headers["idempotency-key"] !== undefined && bytes.length > LARGE_BODY_BYTES
  const digestRoute = isLargeAndKeyed ? routeOf(exchange) : undefined
  const { decode } = yield* RequestBodies
  const decoded = yield* decode(owner, { bytes, mediaType, contentType, limits, isSlip, digestRoute, known }).pipe(
    Effect.tapError(({ cause }) => Effect.logError("A body could not be decoded", cause)),
    Effect.mapError(() => apiError("API_SERVER_ERROR", { isOverload: true, retryAfterSeconds: BUDGET_RETRY_SECONDS }))
  )
  if ("fault" in decoded) return yield* invalid({ path: "", message: decoded.fault })
  return decoded satisfies ReadBody
})

const NO_BODY: ReadBody = { isForm: false, fields: {} }

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

/** The names of the encodings of a body; empty when it is sent as it is. */
const encodingsOf = (headers: Exchange["headers"]): ReadonlyArray<string> => {
  const header = headers["content-encoding"]
  return header === undefined
    ? []
    : header.toLowerCase().split(",").map((name) => name.trim()).filter((name) => !["", "identity"].includes(name))
}

/** Whether a body is compressed. Fails when it is encoded in another way than with gzip once. */
const readsGzip = ({ answerHeaders, headers }: Exchange) => {
  const encodings = encodingsOf(headers)
  const [first, second] = encodings
  if (first === undefined) return Effect.succeed(false)
  if (second === undefined && ["gzip", "x-gzip"].includes(first)) return Effect.succeed(true)
  answerHeaders["accept-encoding"] = "gzip"
  const given = encodings.join(", ").slice(0, 60)
  return Effect.fail(apiError("UNSUPPORTED_CONTENT_ENCODING", {
    message: `The body has the Content-Encoding ${given}. Send it as it is, or compressed once with gzip.`
  }))
}
