import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Clock, DateTime, Effect } from "effect"
import { HttpIncomingMessage, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createServer } from "node:https"
import { type CallbackHeaders, verify, WebhookError } from "../../../sdk/webhook/verify.ts"
import type { Identity } from "./identity.ts"

/** A callback that was received, and its result. */
export interface ReceivedCallback {
  /** ISO 8601. */
  readonly at: string
  /** Null when the body has none. */
  readonly jobId: string | null
  readonly status: string | null
  /** How many callbacks of this job were received, including this one. */
  readonly seen: number
  readonly signature: "ok" | "wrong" | "not-checked"
  /** Why the signature is wrong. */
  readonly reason?: string
  /** The status of the response. */
  readonly answered: number
  /** The parsed body; its text when it is not JSON. */
  readonly body: unknown
}

export interface AnswerOptions {
  /** When empty, signatures are not checked. */
  readonly secrets: ReadonlyArray<string>
  /** The status of the response to a valid callback. */
  readonly answer: number
  /** How many callbacks of each job are first answered with 503. */
  readonly failFirst: number
}

const UNAUTHORIZED = 401
const UNAVAILABLE = 503

/** Checks callbacks and counts them by job. */
export const makeCallbackChecker = ({ answer, failFirst, secrets }: AnswerOptions) => {
  const seenCounts = new Map<string, number>()

  const countSeen = (jobId: string | null): number => {
    const seen = (seenCounts.get(jobId ?? "") ?? 0) + 1
    seenCounts.set(jobId ?? "", seen)
    return seen
  }

  return Effect.fnUntraced(function* (bytes: Uint8Array, headers: CallbackHeaders) {
    const now = yield* Clock.currentTimeMillis
    const body = parse(bytes)
    const jobId = fieldOf(body, "jobId")
    const seen = countSeen(jobId)
    const checked = secrets.length === 0
      ? { signature: "not-checked" } as const
      : yield* checkSignature(bytes, headers, secrets, now)
    const accepted = seen <= failFirst ? UNAVAILABLE : answer
    const callback: ReceivedCallback = {
      at: DateTime.formatIso(DateTime.makeUnsafe(now)),
      jobId,
      status: fieldOf(body, "status"),
      seen,
      ...checked,
      answered: checked.signature === "wrong" ? UNAUTHORIZED : accepted,
      body
    }
    return callback
  })
}

/** A callback as one line of text. */
export const formatCallback = ({ answered, at, jobId, reason, seen, signature, status }: ReceivedCallback): string => {
  const result = { ok: "ok", wrong: `WRONG (${reason})`, "not-checked": "not checked" }[signature]
  const times = seen === 1 ? "1 time" : `${seen} times`
  return [
    `${at.slice(0, "2026-11-21T15:45:00".length)}Z`,
    jobId ?? "no jobId",
    (status ?? "no status").padEnd("not_found".length),
    `seen ${times.padEnd("2 times".length)}`,
    `signature ${result}`,
    `answered ${answered}`
  ].join("  ")
}

const checkSignature = (bytes: Uint8Array, headers: CallbackHeaders, secrets: ReadonlyArray<string>, now: number) =>
  Effect.promise(async (): Promise<Pick<ReceivedCallback, "signature" | "reason">> => {
    try {
      await verify(bytes, headers, secrets, { now })
      return { signature: "ok" }
    } catch (error) {
      if (error instanceof WebhookError) return { signature: "wrong", reason: error.reason }
      throw error
    }
  })

const parse = (bytes: Uint8Array): unknown => {
  const text = new TextDecoder().decode(bytes)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A field of the body that is safe to print: the body is untrusted. */
const fieldOf = (body: unknown, name: string): string | null => {
  if (typeof body !== "object" || body === null) return null
  const value: unknown = Reflect.get(body, name)
  return typeof value === "string" && /^[\w-]{1,64}$/u.test(value) ? value : null
}

const BODY_BYTES = ByteSize.mebibytes(1)
const METHOD_NOT_ALLOWED = 405
const TOO_LARGE = 413

/** Answers every callback, after `onCallback` has run. */
export const answerCallbacks = (
  options: AnswerOptions,
  onCallback: (callback: ReceivedCallback) => Effect.Effect<void>
) => {
  const checkCallback = makeCallbackChecker(options)
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (request.method !== "POST") return HttpServerResponse.empty({ status: METHOD_NOT_ALLOWED })
    const body = yield* Effect.option(request.arrayBuffer)
    if (body._tag === "None") return HttpServerResponse.empty({ status: TOO_LARGE })
    const callback = yield* checkCallback(new Uint8Array(body.value), request.headers)
    yield* onCallback(callback)
    return HttpServerResponse.empty({ status: callback.answered })
  }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, BODY_BYTES))
}

export const layerReceiverServer = ({ certificate, key }: Identity, host: string, port: number) =>
  NodeHttpServer.layerServer(
    // A client that does not trust the certificate closes the connection and reports the error.
    () => createServer({ key, cert: certificate }).on("tlsClientError", () => undefined),
    { host, port, gracefulShutdownTimeout: "1 second" }
  )
