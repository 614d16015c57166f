import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { Data, Effect, Scope } from "effect"
import type { Readable } from "node:stream"
import { invalid, type InvalidInput } from "../input/decode.ts"
import { type ApiError, apiError } from "./api/failures.ts"
import type { ReceivedBody } from "./bodies/normalize-slip.ts"
import type { BudgetRefusal, Reservation } from "./bodies/body-budget.ts"
import { DEFAULT_JSON_LIMITS, isJsonType, type JsonLimits, MULTIPART } from "./bodies/decode-body.ts"
import { LARGE_BODY_BYTES, RequestBodies } from "./bodies/request-bodies.ts"
import { type Exchange, MAX_BODY_BYTES } from "./endpoint.ts"

/** How a body is read. */
export interface ReadOptions {
  /** Whose budget the body counts against: the id of a branch, or another name. */
  readonly owner: string
  /** The media types of forms that are accepted; multipart by default. */
  readonly forms?: ReadonlyArray<string> | undefined
  readonly limits?: JsonLimits | undefined
  /** Whether the fields are those of a slip. */
  readonly isSlip?: boolean
}

/** A received body; `digest` is undefined when the request needs none, or the body is small. */
export interface ReadBody extends ReceivedBody {
  readonly digest: string | undefined
}

/** The body has too many bytes, or the caller disconnected. */
class BodyUnread extends Data.TaggedError("BodyUnread")<{}> {}

/** No byte of the body arrived for too long. */
class BodyStalled extends Data.TaggedError("BodyStalled")<{}> {}

/** The body does not fit into a budget. */
class BodyOverBudget extends Data.TaggedError("BodyOverBudget")<{ readonly refusal: BudgetRefusal }> {}

type Unread = BodyUnread | BodyStalled | BodyOverBudget

type Bytes = Uint8Array<ArrayBuffer>

/** The bytes of a body as they arrive. */
interface Received {
  readonly add: (chunk: Buffer<ArrayBuffer>) => Unread | undefined
  readonly bytes: () => Bytes
}

/** A body whose length is announced and reserved. The bytes are written once: a large body is not copied again. */
const ofLength = (length: number): Received => {
  const bytes = Buffer.allocUnsafeSlow(length)
  let size = 0
  return {
    add: (chunk) => {
      if (size + chunk.length > length) return new BodyUnread()
      bytes.set(chunk, size)
      size += chunk.length
      return undefined
    },
    bytes: () => bytes.subarray(0, size)
  }
}

/** A body in chunks. Each chunk is reserved when it arrives, once the body is large. */
const inChunks = (maxBytes: number, reservation: Reservation): Received => {
  const chunks: Array<Buffer<ArrayBuffer>> = []
  let size = 0
  let reserved = 0
  return {
    add: (chunk) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBytes) return new BodyUnread()
      if (size <= LARGE_BODY_BYTES) return undefined
      const refusal = reservation.add(size - reserved)
      reserved = size
      return refusal === undefined ? undefined : new BodyOverBudget({ refusal })
    },
    bytes: () => Buffer.concat(chunks)
  }
}

/** Reads by the events of Node's stream: a generic stream reader takes a tenth of a verification's time. */
const collect = (message: Readable, received: Received, idleMillis: number): Effect.Effect<Bytes, Unread> =>
  Effect.callback((resume) => {
    const onData = (chunk: Buffer<ArrayBuffer>) => {
      idle.refresh()
      const fault = received.add(chunk)
      if (fault !== undefined) finish(Effect.fail(fault))
    }
    const onEnd = () => finish(Effect.sync(received.bytes))
    // The stream closed before its end.
    const onClose = () => finish(Effect.fail(new BodyUnread()))
    const idle = setTimeout(() => finish(Effect.fail(new BodyStalled())), idleMillis)
    const unsubscribe = () => {
      clearTimeout(idle)
      message.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose)
    }
    const finish = (outcome: Effect.Effect<Bytes, Unread>) => {
      unsubscribe()
      resume(outcome)
    }
    if (message.destroyed) return onClose()
    message.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose)
    return Effect.sync(unsubscribe)
  })

/** Reserves the announced bytes of a large body in the owner's turn, until the scope closes. */
const reserve = Effect.fnUntraced(function* ({ bodyBytes, headers }: Exchange, owner: string, scope: Scope.Scope) {
  const announced = headers["content-length"]
  // The server's own reader does not report chunks.
  const bytes = announced === undefined ? isReadByServer(headers) ? bodyBytes : 0 : Number(announced)
  const { budget, maxWaitMillis } = yield* RequestBodies
  const reservation = budget.reserve(owner)
  if (announced !== undefined && bytes <= LARGE_BODY_BYTES) return reservation
  yield* Scope.addFinalizer(scope, Effect.sync(reservation.release))
  if (bytes <= LARGE_BODY_BYTES) return reservation
  const refusal = yield* Effect.timeoutOrElse(reservation.addInTurn(bytes), {
    duration: maxWaitMillis,
    orElse: () => Effect.succeed<BudgetRefusal>("owner")
  })
  if (refusal !== undefined) return yield* new BodyOverBudget({ refusal })
  return reservation
})

/** Only the server's own reader handles `Expect` and `Upgrade`. */
const isReadByServer = (headers: Exchange["headers"]): boolean =>
  headers["expect"] !== undefined || headers["upgrade"] !== undefined

/** Reads the bytes of a body, up to `bodyBytes`. */
const readBytes = Effect.fnUntraced(function* (exchange: Exchange, owner: string, scope: Scope.Scope) {
  const { bodyBytes, headers, request } = exchange
  const reservation = yield* reserve(exchange, owner, scope)
  if (isReadByServer(headers)) {
    return yield* Effect.mapBoth(request.arrayBuffer, {
      onSuccess: (buffer): Bytes => new Uint8Array(buffer),
      onFailure: () => new BodyUnread()
    })
  }
  const length = headers["content-length"]
  const received = length === undefined ? inChunks(bodyBytes, reservation) : ofLength(Number(length))
  return yield* collect(toIncomingMessage(request), received, (yield* RequestBodies).idleMillis)
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
  const { forms = [MULTIPART], isSlip = false, limits = DEFAULT_JSON_LIMITS, owner } = options
  const contentType = headers["content-type"] ?? "application/json"
  const mediaType = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? ""
  if (!isJsonType(mediaType) && !forms.includes(mediaType)) {
    return yield* invalid({ path: "", message: `Send application/json or ${forms.join(" or ")}` })
  }
  if (Number(headers["content-length"] ?? 0) > bodyBytes) return yield* tooLarge(bodyBytes)
  const bytes = yield* Effect.mapError(readBytes(exchange, owner, scope), (fault) => toFailure(fault, exchange))
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
