import { Effect, Result } from "effect"
import type { SlipQuestion } from "../../../ports/bank-gateway.ts"
import { NoStatement, RETRY_AFTER_SECONDS, type Statement, unusable } from "./gateway.ts"
import type { UpstreamResponse } from "./https-client.ts"
import { readSlipData } from "./slip-data.ts"

/** What one slip can bring about by itself shuts no gateway; statuses of keys, rights, limits and servers do. */
export const concernsGateway = (status: number): boolean => [401, 403, 429].includes(status) || status >= 500

/** The body as evidence: null when it was empty. */
export const evidenceOf = ({ text }: UpstreamResponse): string | null => text === "" ? null : text

/** A bank's answer that the slip was found, if what it says of the slip can be used. */
export const foundIn = (
  title: string,
  data: unknown,
  question: SlipQuestion,
  response: UpstreamResponse
): Effect.Effect<Statement, NoStatement> =>
  Result.match(readSlipData(data, question), {
    onSuccess: (transfer) => Effect.succeed({ answer: { _tag: "Found", transfer }, upstream: evidenceOf(response) }),
    onFailure: (what) => Effect.fail(unusable(`${title} ${what}`, evidenceOf(response)))
  })

/** What an answer that is no clear statement amounts to; its body is kept. `now` in milliseconds since 1970. */
export const noStatementOf = (
  response: UpstreamResponse,
  now: number,
  { concerns, why }: Pick<NoStatement, "concerns" | "why">
): NoStatement => {
  const retryAfterSeconds = readRetryAfter(response.retryAfter, now)
  return new NoStatement({ why, retryAfterSeconds, upstream: evidenceOf(response), concerns })
}

/**
 * An answer without any code of the bank's own: a page of something on the way, or of another server altogether.
 * `prefix` is that of the bank's settings.
 */
export const foreignAnswer = (title: string, prefix: string, response: UpstreamResponse, now: number): NoStatement => {
  const why = `${title} answered HTTP ${response.status}${adviceOn(response.status, prefix)}`
  return noStatementOf(response, now, { why, concerns: "gateway" })
}

const adviceOn = (status: number, prefix: string): string => {
  if (status === 429) return `: it is asked too often; a lower ${prefix}_CONCURRENCY may help`
  return status >= 500 ? ": it is in trouble" : ` with nothing that it is known to say; is ${prefix}_BASE_URL right?`
}

/** What a bank asks for is followed within these bounds: nobody is told to come back tomorrow for a slip of today. */
const LEAST_SECONDS = 1
const MOST_SECONDS = 300

/** Seconds to wait, as the header `Retry-After` says it (RFC 9110: seconds, or a date); `now` in milliseconds. */
export const readRetryAfter = (header: string | undefined, now: number): number => {
  const text = header?.trim() ?? ""
  const seconds = /^\d+$/u.test(text)
    ? Number(text)
    // Dates begin with the day of the week: a runtime would read one out of anything.
    : /^[A-Z][a-z]{2}/u.test(text)
    ? Math.ceil((Date.parse(text) - now) / 1_000)
    : Number.NaN
  return Number.isNaN(seconds) ? RETRY_AFTER_SECONDS : Math.min(Math.max(seconds, LEAST_SECONDS), MOST_SECONDS)
}
