import { type Failure, SlipTrailError } from "./slip-trail-error.ts"

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
export const readAnswer = async (response: Response): Promise<unknown> => {
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
