import type { RefusalCause } from "../../../../ports/bank-gateway.ts"
import { concernsGateway, evidenceOf, failureOf, foreignFailure, readJson } from "./answer.ts"
import { type GatewayFailure, refused } from "./gateway.ts"
import type { UpstreamResponse } from "./https-client.ts"

/** The meaning of a vendor's code that gives no definite answer. `why` is for a person, and says what to do. */
export type CodeMeaning =
  & {
    readonly why: string
    /** The delay when the vendor states none. */
    readonly retryAfterSeconds?: number
  }
  & (
    | { readonly concerns: "gateway" | "slip" | "source" }
    /** The vendor refuses the operator's account. */
    | { readonly refusal: RefusalCause | "quota" }
  )

export interface VendorName {
  readonly title: string
  /** The beginning of the names of the vendor's settings. */
  readonly prefix: string
}

/**
 * The failure for a response of a vendor without a definite answer. `code` is undefined when the response has none, and
 * quoted when the vendor's table or its format shows that it is a code. The HTTP status counts only for other codes:
 * vendors use it loosely. `now` in milliseconds since 1970.
 */
export const vendorFailure = (
  { prefix, title }: VendorName,
  response: UpstreamResponse,
  now: number,
  code: string | undefined,
  meanings: ReadonlyMap<string, CodeMeaning>
): GatewayFailure => {
  const { status } = response
  const json = readJson(response.text)
  if (typeof json !== "object" || json === null) return foreignFailure(title, prefix, response, now)
  const meaning = (code === undefined ? undefined : meanings.get(code)) ?? meaningOfStatus(status, prefix)
  const isQuotable = code !== undefined && (meanings.has(code) || codeFormat.test(code))
  const why = `${title} answered ${isQuotable ? `code ${code}` : "no known code"} with HTTP ${status}: ${meaning.why}`
  return "refusal" in meaning
    ? refused(meaning.refusal, why, evidenceOf(response))
    : failureOf(withDelay(response, meaning.retryAfterSeconds), now, { why, concerns: meaning.concerns })
}

/** The meanings of a vendor's codes, which are separated by spaces. */
export const meaningsOf = (
  ...meanings: ReadonlyArray<readonly [codes: string, meaning: CodeMeaning]>
): ReadonlyMap<string, CodeMeaning> =>
  new Map(meanings.flatMap(([codes, meaning]) => codes.split(" ").map((code) => [code, meaning] as const)))

/** A question that a vendor does not accept. After a short delay it would get the same answer again. */
export const notAccepted = (why: string): CodeMeaning => ({ concerns: "slip", why, retryAfterSeconds: 300 })

const withDelay = (response: UpstreamResponse, seconds: number | undefined): UpstreamResponse =>
  seconds === undefined || response.retryAfter !== undefined ? response : { ...response, retryAfter: String(seconds) }

/** Numbers, or capital words: a name or a key of a person does not look like this. */
const codeFormat = /^(\d{1,6}|[A-Z]{2,20}(_[A-Z]{1,20}){1,4})$/u

const meaningOfStatus = (status: number, prefix: string): CodeMeaning => {
  if (status === 401 || status === 403) {
    return { refusal: "account", why: "the account is refused; look into the vendor's portal" }
  }
  if (status === 429) return { concerns: "gateway", why: `too many requests; try a lower ${prefix}_CONCURRENCY` }
  if (status === 404) return { concerns: "gateway", why: `no such page; check ${prefix}_BASE_URL` }
  return concernsGateway(status)
    ? { concerns: "gateway", why: "a server error" }
    : { concerns: "slip", why: "the meaning of this code is unknown" }
}
