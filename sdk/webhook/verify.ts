import { isServiceSignature, isStandardSignature } from "./signature.ts"
import type { Callback } from "./callback.ts"

/**
 * For receivers of callbacks, as `sliptrail/webhook`. It needs Web Crypto only, so it runs on every runtime and can be
 * copied.
 */
export type { Callback, NotFoundCallback, RawSlip, SuccessCallback, VerifyBankData } from "./callback.ts"

/** A request's headers: those of a `Request`, or an object, as Node has it, in any case of letters. */
export type CallbackHeaders =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface VerifyOptions {
  /** How far `webhook-timestamp` may be from this clock, either way: 300 seconds unless said. */
  readonly toleranceSeconds?: number
  /** Refuses what has `X-Service-Signature` alone, which says nothing of when it was sent. */
  readonly requireTimestamp?: boolean
  /** Milliseconds since 1970, in place of this clock. */
  readonly now?: number
}

/**
 * Why a callback is not to be believed.
 *
 * - `missing-signature`: it has neither `webhook-signature`, with id and timestamp, nor `X-Service-Signature`
 * - `wrong-signature`: no signature is that of these bytes under one of the secrets
 * - `too-old`, `too-new`: the signature is right, but it was sent at another time: a copy, or a clock that is wrong
 * - `not-json`: the signature is right, but the body is no callback in JSON
 */
export type WebhookErrorReason = "missing-signature" | "wrong-signature" | "too-old" | "too-new" | "not-json"

/** The callback is not to be believed; answer 401. The message says what was wrong and holds no secret. */
export class WebhookError extends Error {
  override readonly name = "WebhookError"
  readonly reason: WebhookErrorReason

  constructor(reason: WebhookErrorReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * The callback, if it is genuine; rejects with `WebhookError` if not.
 *
 * `rawBody` has to be what arrived, before anything parsed it. `secrets` are the branch's webhook secrets `whsec_…`:
 * during a rotation the new one and the old one, in any order.
 *
 * Where `webhook-signature` is there it decides, together with the time in `webhook-timestamp`. It is signed with both
 * secrets during a rotation, so that a receiver that knows one of them still accepts it. Without it
 * `X-Service-Signature` decides, which the newest secret alone signs, unless `requireTimestamp` is set.
 *
 * Rejects with `TypeError` when `rawBody` is something that was parsed already, or a secret is none: a fault of the
 * receiver, not of the callback. Answer 500, so that it comes again.
 */
export const verify = async (
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: CallbackHeaders,
  secrets: string | ReadonlyArray<string>,
  options: VerifyOptions = {}
): Promise<Callback> => {
  const body = rawBody instanceof ArrayBuffer ? new Uint8Array(rawBody) : rawBody
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw new TypeError("rawBody must be the bytes or the text that arrived, before anything parsed them")
  }
  const known = readSecrets(secrets)
  const signature = headerOf(headers, "webhook-signature")
  if (signature !== undefined) await checkStandard(body, headers, signature, known, options)
  else await checkService(body, headers, known, options)
  return parse(body)
}

const TOLERANCE_SECONDS = 300

const checkStandard = async (
  body: string | Uint8Array,
  headers: CallbackHeaders,
  signature: string,
  secrets: ReadonlyArray<string>,
  { now = Date.now(), toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions
): Promise<void> => {
  const id = headerOf(headers, "webhook-id")
  const timestamp = headerOf(headers, "webhook-timestamp")
  if (id === undefined || timestamp === undefined) {
    throw new WebhookError("missing-signature", "webhook-signature is there without webhook-id or webhook-timestamp")
  }
  const isGenuine = await isStandardSignature(signature, { id, timestamp, body }, secrets)
  if (!isGenuine || !/^\d{1,12}$/u.test(timestamp)) throw wrongSignature("webhook-signature")
  const age = now / 1_000 - Number(timestamp)
  if (age > toleranceSeconds) throw new WebhookError("too-old", `it was sent ${Math.round(age)} seconds ago`)
  if (age < -toleranceSeconds) {
    throw new WebhookError("too-new", `it was sent ${Math.round(-age)} seconds ahead of this clock`)
  }
}

const checkService = async (
  body: string | Uint8Array,
  headers: CallbackHeaders,
  secrets: ReadonlyArray<string>,
  { requireTimestamp = false }: VerifyOptions
): Promise<void> => {
  const signature = headerOf(headers, "x-service-signature")
  if (requireTimestamp || signature === undefined) {
    throw new WebhookError(
      "missing-signature",
      requireTimestamp ? "it has no webhook-signature" : "it has neither webhook-signature nor X-Service-Signature"
    )
  }
  if (!await isServiceSignature(signature, body, secrets)) throw wrongSignature("X-Service-Signature")
}

const wrongSignature = (header: string): WebhookError =>
  new WebhookError(
    "wrong-signature",
    `${header} is not that of this body under the given secrets: are they those of the branch, the body as it arrived?`
  )

/** A secret that is empty, or still has the line break of its file, would only look like wrong signatures. */
const readSecrets = (given: string | ReadonlyArray<string>): ReadonlyArray<string> => {
  const secrets = typeof given === "string" ? [given] : given
  if (secrets.length === 0) throw new TypeError("no webhook secret is given")
  for (const secret of secrets) {
    if (!isWebhookSecret(secret)) throw new TypeError("a webhook secret is not whsec_ with base64 behind it")
  }
  return secrets
}

/** Whether a text has the form of a branch's webhook secret. */
export const isWebhookSecret = (text: string): boolean =>
  /^whsec_(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u.test(text)

const headerOf = (headers: CallbackHeaders, name: string): string | undefined => {
  if (hasGet(headers)) return headers.get(name) ?? undefined
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === "string" || value === undefined ? value : value.join(" ")
}

const hasGet = (headers: CallbackHeaders): headers is { readonly get: (name: string) => string | null } =>
  typeof headers["get"] === "function"

const parse = (body: string | Uint8Array): Callback => {
  const value = parseJson(typeof body === "string" ? body : decoded(body))
  if (!isCallback(value)) throw new WebhookError("not-json", "the body is JSON, but no callback")
  return value
}

const decoded = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    throw new WebhookError("not-json", "the body is not UTF-8")
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new WebhookError("not-json", "the body is not JSON")
  }
}

const isCallback = (value: unknown): value is Callback => {
  if (typeof value !== "object" || value === null) return false
  const { jobId, status }: { readonly jobId?: unknown; readonly status?: unknown } = value
  return typeof jobId === "string" && (status === "success" || status === "not_found")
}
