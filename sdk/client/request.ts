import {
  type Failure,
  type Picture,
  type Slip,
  type SlipBatch,
  type SlipForLater,
  type SlipToDecode,
  type SlipTrailCode,
  SlipTrailError,
  type WalletSlip
} from "./types.ts"

interface Content {
  readonly body: string | FormData
  readonly headers: Readonly<Record<string, string>>
}

/** A body of JSON. */
export const json = (value: unknown): Content => ({
  body: JSON.stringify(value),
  headers: { "content-type": "application/json" }
})

const isFile = (picture: Picture | undefined): picture is Exclude<Picture, string> =>
  picture !== undefined && typeof picture !== "string"

const blobOf = (picture: Exclude<Picture, string>): Blob => picture instanceof Blob ? picture : new Blob([picture])

/** The body for one slip: a form when its picture is a file, which is sent unchanged; otherwise JSON. */
export const slipContent = ({ image, ...fields }: Slip | SlipForLater | SlipToDecode | WalletSlip): Content => {
  if (!isFile(image)) return json({ image, ...fields })
  const form = new FormData()
  form.append("image", blobOf(image), "slip")
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.append(name, typeof value === "object" ? JSON.stringify(value) : String(value))
  }
  return { body: form, headers: {} }
}

/** Bytes that one call converts. More would be too many arguments. */
const CHUNK_BYTES = 0x8000

const base64Of = async (picture: Exclude<Picture, string>): Promise<string> => {
  const bytes = new Uint8Array(await blobOf(picture).arrayBuffer())
  let binary = ""
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES))
  }
  return btoa(binary)
}

const withBase64 = async (slip: SlipForLater): Promise<object> =>
  isFile(slip.image) ? { ...slip, image: await base64Of(slip.image) } : slip

/** The body for a batch: always JSON, with pictures in base64. */
export const batchContent = async ({ slips, ...shared }: SlipBatch): Promise<Content> =>
  json({ ...shared, slips: await Promise.all(slips.map(withBase64)) })

interface Success {
  readonly success: true
  readonly data: unknown
}

interface Refusal {
  readonly success: false
  readonly error: Pick<Failure, "code" | "message" | "detail" | "issues">
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isSuccess = (body: unknown): body is Success => isObject(body) && body["success"] === true && "data" in body

const isRefusal = (body: unknown): body is Refusal =>
  isObject(body) && body["success"] === false && isObject(body["error"]) && typeof body["error"]["code"] === "string"

/** Reads a `Retry-After` in seconds. A date, which proxies may send, is ignored. */
const secondsOf = (header: string | null): { readonly retryAfterSeconds?: number } =>
  header !== null && /^\d{1,6}$/u.test(header) ? { retryAfterSeconds: Number(header) } : {}

const excerpt = (text: string): string => text.length > 200 ? `${text.slice(0, 200)}…` : text

/** Returns the data of an answer, or throws its error. */
const readAnswer = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  const body = parse(text)
  if (response.ok && isSuccess(body)) return body.data
  const requestId = response.headers.get("x-request-id")
  const common = {
    status: response.status,
    ...(requestId === null ? {} : { requestId }),
    ...secondsOf(response.headers.get("retry-after"))
  }
  if (!response.ok && isRefusal(body)) throw new SlipTrailError({ ...common, ...body.error })
  const message = `Expected an answer of SlipTrail, got ${response.status}: ${excerpt(text)}`
  throw new SlipTrailError({ ...common, code: "UNEXPECTED_ANSWER", message })
}

/** A request, which may be sent several times. */
interface OutgoingRequest {
  readonly url: string
  readonly init: RequestInit
  /** Whether the request may be sent again after an unknown outcome. */
  readonly isRepeatable: boolean
  readonly signal: AbortSignal | undefined
}

interface SendOptions {
  readonly fetch: typeof fetch
  /** Limit of each try, until the last byte of its answer. */
  readonly timeoutMillis: number
}

/** Tries after the first one. */
const MAX_RETRIES = 3

/** With a longer `Retry-After` the call fails, and the caller decides. */
const MAX_WAIT_MILLIS = 10_000

const FIRST_WAIT_MILLIS = 500

/** Sends a request, with retries, and returns the data of the answer. Rejects with a `SlipTrailError`. */
export const send = async (options: SendOptions, request: OutgoingRequest): Promise<unknown> => {
  for (let retries = 0;; retries++) {
    try {
      return await sendOnce(options, request)
    } catch (error) {
      request.signal?.throwIfAborted()
      if (!(error instanceof SlipTrailError) || retries === MAX_RETRIES) throw error
      const wait = waitAfter(error, retries)
      if (!isRetryable(error, request, retries) || wait > MAX_WAIT_MILLIS) throw error
      await pause(wait, request.signal)
    }
  }
}

const sendOnce = async (
  { fetch, timeoutMillis }: SendOptions,
  { init, signal, url }: OutgoingRequest
): Promise<unknown> => {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), timeoutMillis)
  try {
    // A redirect would send the API key, or the body again, to an unknown server.
    const signals = signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal])
    return await readAnswer(await fetch(url, { ...init, redirect: "error", signal: signals }))
  } catch (cause) {
    if (cause instanceof SlipTrailError) throw cause
    const [code, message] = timeout.signal.aborted
      ? ["TIMEOUT", `No answer within ${timeoutMillis} ms`] as const
      : ["NETWORK_ERROR", `${new URL(url).origin} cannot be reached`] as const
    throw new SlipTrailError({ status: 0, code, message }, { cause })
  } finally {
    clearTimeout(timer)
  }
}

/** Whether a proxy answered because the service behind it is unavailable. */
const isGatewayError = ({ code, status }: SlipTrailError): boolean =>
  code === "UNEXPECTED_ANSWER" && status >= 502 && status <= 504

const UNKNOWN_OUTCOME: ReadonlyArray<SlipTrailCode> = ["NETWORK_ERROR", "TIMEOUT", "API_SERVER_ERROR"]

const isRetryable = (error: SlipTrailError, { isRepeatable }: OutgoingRequest, retries: number): boolean => {
  // The service refused the request before it did anything.
  if (error.code === "RATE_LIMIT_EXCEEDED") return true
  // An earlier try of this call is still running.
  if (error.code === "IDEMPOTENCY_IN_PROGRESS") return retries > 0
  return isRepeatable && (UNKNOWN_OUTCOME.includes(error.code) || isGatewayError(error))
}

/** The service's `Retry-After`; otherwise exponential backoff with jitter. */
const waitAfter = ({ retryAfterSeconds }: SlipTrailError, retries: number): number =>
  retryAfterSeconds === undefined
    ? FIRST_WAIT_MILLIS * 2 ** retries * (1 + Math.random() / 2)
    : retryAfterSeconds * 1_000

const pause = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, millis)
    signal?.addEventListener("abort", stop, { once: true })
  })
