import {
  type Failure,
  type Picture,
  type Slip,
  type SlipBatch,
  type SlipForLater,
  type SlipToDecode,
  type SlipTrailCode,
  SlipTrailError
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

/** One slip: a form when its picture is a file, which then travels as it is, JSON otherwise. */
export const slipContent = ({ image, ...fields }: Slip | SlipForLater | SlipToDecode): Content => {
  if (!isFile(image)) return json({ image, ...fields })
  const form = new FormData()
  form.append("image", blobOf(image), "slip")
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, String(value))
  return { body: form, headers: {} }
}

/** Bytes turned into text at a time: more would be too many arguments of one call. */
const AT_A_TIME = 0x8000

const base64Of = async (picture: Exclude<Picture, string>): Promise<string> => {
  const bytes = new Uint8Array(await blobOf(picture).arrayBuffer())
  let binary = ""
  for (let at = 0; at < bytes.length; at += AT_A_TIME) {
    binary += String.fromCharCode(...bytes.subarray(at, at + AT_A_TIME))
  }
  return btoa(binary)
}

const withText = async (slip: SlipForLater): Promise<object> =>
  isFile(slip.image) ? { ...slip, image: await base64Of(slip.image) } : slip

/** Many slips: always JSON, with pictures in base64. */
export const batchContent = async ({ slips, ...shared }: SlipBatch): Promise<Content> =>
  json({ ...shared, slips: await Promise.all(slips.map(withText)) })

interface Success {
  readonly success: true
  readonly data: unknown
}

interface Refusal {
  readonly success: false
  readonly error: Pick<Failure, "code" | "message" | "issues">
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

/** Seconds; a date, which proxies may write, is as good as nothing. */
const secondsOf = (header: string | null): { readonly retryAfterSeconds?: number } =>
  header !== null && /^\d{1,6}$/u.test(header) ? { retryAfterSeconds: Number(header) } : {}

const shown = (text: string): string => text.length > 200 ? `${text.slice(0, 200)}…` : text

/** The data of an answer, or the error that it tells. */
const readAnswer = async (response: Response): Promise<unknown> => {
  const text = await response.text()
  const body = parse(text)
  if (response.ok && isSuccess(body)) return body.data
  const requestId = response.headers.get("x-request-id")
  const about = {
    status: response.status,
    ...(requestId === null ? {} : { requestId }),
    ...secondsOf(response.headers.get("retry-after"))
  }
  if (!response.ok && isRefusal(body)) throw new SlipTrailError({ ...about, ...body.error })
  const message = `Expected an answer of SlipTrail, got ${response.status}: ${shown(text)}`
  throw new SlipTrailError({ ...about, code: "UNEXPECTED_ANSWER", message })
}

/** A call as it goes out, as often as it has to. */
interface Outgoing {
  readonly url: string
  readonly init: RequestInit
  /** Whether the request may be sent again after an unknown outcome. */
  readonly isRepeatable: boolean
  readonly signal: AbortSignal | undefined
}

interface Sending {
  readonly fetch: typeof fetch
  /** For each try, up to the last byte of its answer. */
  readonly timeoutMillis: number
}

/** Tries after the first one. */
const MOST_RETRIES = 3

/** A longer `Retry-After` is left to the caller. */
const LONGEST_WAIT_MILLIS = 10_000

const FIRST_WAIT_MILLIS = 500

/** Sends until it is answered for good, and gives the data of the answer. Rejects with a `SlipTrailError`. */
export const send = async (sending: Sending, outgoing: Outgoing): Promise<unknown> => {
  for (let retries = 0;; retries++) {
    try {
      return await once(sending, outgoing)
    } catch (error) {
      outgoing.signal?.throwIfAborted()
      if (!(error instanceof SlipTrailError) || retries === MOST_RETRIES) throw error
      const wait = waitAfter(error, retries)
      if (!mayHelp(error, outgoing, retries) || wait > LONGEST_WAIT_MILLIS) throw error
      await pause(wait, outgoing.signal)
    }
  }
}

const once = async ({ fetch, timeoutMillis }: Sending, { init, signal, url }: Outgoing): Promise<unknown> => {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeoutMillis)
  try {
    // A redirect would lead the key, or a body that is sent once more, to who knows where.
    const signals = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal])
    return await readAnswer(await fetch(url, { ...init, redirect: "error", signal: signals }))
  } catch (cause) {
    if (cause instanceof SlipTrailError) throw cause
    const [code, message] = late.signal.aborted
      ? ["TIMEOUT", `No answer within ${timeoutMillis} ms`] as const
      : ["NETWORK_ERROR", `${new URL(url).origin} cannot be reached`] as const
    throw new SlipTrailError({ status: 0, code, message }, { cause })
  } finally {
    clearTimeout(timer)
  }
}

/** What a proxy says when the service behind it is away. */
const isGateway = ({ code, status }: SlipTrailError): boolean =>
  code === "UNEXPECTED_ANSWER" && status >= 502 && status <= 504

const UNKNOWN_OUTCOME: ReadonlyArray<SlipTrailCode> = ["NETWORK_ERROR", "TIMEOUT", "API_SERVER_ERROR"]

const mayHelp = (error: SlipTrailError, { isRepeatable }: Outgoing, retries: number): boolean => {
  // Refused before anything was done.
  if (error.code === "RATE_LIMIT_EXCEEDED") return true
  // An earlier try of ours is still under way.
  if (error.code === "IDEMPOTENCY_IN_PROGRESS") return retries > 0
  return isRepeatable && (UNKNOWN_OUTCOME.includes(error.code) || isGateway(error))
}

/** As long as the service asks for, otherwise longer each time, and not for all callers the same. */
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
