import { isServiceSignature, isStandardSignature } from "./signature.ts"
import type { Callback } from "./callback.ts"

/**
 * For receivers of callbacks, as `sliptrail/webhook`. It needs Web Crypto only, so it runs on every runtime and can be
 * copied.
 */
export type {
  Callback,
  NotFoundCallback,
  RawSlip,
  RawWalletSlip,
  SuccessCallback,
  VerifyBankData,
  VerifyWalletData
} from "./callback.ts"

/** The headers of a request: those of a `Request`, or an object as in Node. Names are not case-sensitive. */
export type CallbackHeaders =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface VerifyOptions {
  /** Allowed difference between `webhook-timestamp` and this clock, either way; 300 seconds by default. */
  readonly toleranceSeconds?: number
  /**
   * True by default: rejects a callback with `X-Service-Signature` alone. That signature does not cover the time of
   * sending, so a person who has seen such a callback can send it again at any time.
   */
  readonly requireTimestamp?: boolean
  /** Milliseconds since 1970; replaces this clock. */
  readonly now?: number
}

/**
 * Why a callback is rejected.
 *
 * - `missing-signature`: it has no `webhook-signature` with id and timestamp; with `requireTimestamp: false`, also no
 *   `X-Service-Signature`
 * - `wrong-signature`: no signature matches these bytes under one of the secrets
 * - `too-old`, `too-new`: the signature matches, but it was sent at another time: it is a replay, or a clock is wrong
 * - `not-json`: the signature matches, but the body is not a callback in JSON
 */
export type WebhookErrorReason = "missing-signature" | "wrong-signature" | "too-old" | "too-new" | "not-json"

/** The callback is rejected; answer 401. The message says what is wrong and contains no secret. */
export class WebhookError extends Error {
  override readonly name = "WebhookError"
  readonly reason: WebhookErrorReason

  constructor(reason: WebhookErrorReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Returns the callback if it is genuine; rejects with `WebhookError` otherwise.
 *
 * `rawBody` must be the body as it arrived, before any parsing. `secrets` are the branch's webhook secrets `whsec_…`:
 * during a rotation the new one and the old one, in any order.
 *
 * The header `webhook-signature` decides, together with `webhook-timestamp`. During a rotation both secrets sign it, so
 * a receiver with one of them accepts it. With `requireTimestamp: false`, `X-Service-Signature` decides when
 * `webhook-signature` is absent. Only the newest secret signs that header.
 *
 * Rejects with `TypeError` when `rawBody` was parsed before, or a secret does not have its form. That is a fault of the
 * receiver, not of the callback: answer 500, so that the service sends the callback again.
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
  const checkedSecrets = readSecrets(secrets)
  const signature = headerOf(headers, "webhook-signature")
  if (signature !== undefined) await checkStandard(body, headers, signature, checkedSecrets, options)
  else await checkService(body, headers, checkedSecrets, options)
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
    throw new WebhookError("missing-signature", "webhook-signature is present without webhook-id or webhook-timestamp")
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
  { requireTimestamp = true }: VerifyOptions
): Promise<void> => {
  if (requireTimestamp) {
    throw new WebhookError(
      "missing-signature",
      "it has no webhook-signature, so the time of sending is not known: pass all headers of the request"
    )
  }
  const signature = headerOf(headers, "x-service-signature")
  if (signature === undefined) {
    throw new WebhookError("missing-signature", "it has neither webhook-signature nor X-Service-Signature")
  }
  if (!await isServiceSignature(signature, body, secrets)) throw wrongSignature("X-Service-Signature")
}

const wrongSignature = (header: string): WebhookError =>
  new WebhookError(
    "wrong-signature",
    `${header} does not match this body under the given secrets: check the branch's secrets, and pass the body as it arrived`
  )

/** Rejects an empty secret, or one with the line break of its file. Otherwise they would look like wrong signatures. */
const readSecrets = (given: string | ReadonlyArray<string>): ReadonlyArray<string> => {
  const secrets = typeof given === "string" ? [given] : given
  if (secrets.length === 0) throw new TypeError("no webhook secret is given")
  for (const secret of secrets) {
    if (!isWebhookSecret(secret)) throw new TypeError("a webhook secret is not whsec_ followed by base64")
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
  if (!isCallback(value)) throw new WebhookError("not-json", "the body is JSON, but not a callback")
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
