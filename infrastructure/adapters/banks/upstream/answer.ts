import { Effect, Option, Result, Schema } from "effect"
import { retryAfterMillis } from "../../../../domain/retry-after.ts"
import type { Transfer } from "../../../../domain/slip/transfer.ts"
import { type BankAnswer, GatewayFailure, RETRY_AFTER_SECONDS, slipFailed } from "./gateway.ts"
import type { UpstreamResponse } from "./https-client.ts"
import { contradictsReference } from "./transfer-time.ts"

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** Parses a body as JSON, after an optional byte order mark. Undefined for anything else. */
export const readJson = (text: string): unknown => Option.getOrUndefined(decodeJson(text.replace(/^\uFEFF/u, "")))

/** Makes a function that parses a body as JSON of a schema. It returns undefined for anything else. */
export const bodyReader = <A>(schema: Schema.Decoder<A>) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (text: string): A | undefined => Option.getOrUndefined(decode(readJson(text)))
}

/** The body as evidence; null when it was empty. */
export const evidenceOf = ({ text }: UpstreamResponse): string | null => text === "" ? null : text

/**
 * Whether a status means that the gateway failed: credentials, permissions, rate limits and server errors. Any other
 * status can be the result of a single slip.
 */
export const concernsGateway = (status: number): boolean => [401, 403, 429].includes(status) || status >= 500

/**
 * The answer of a gateway that found the slip. `transfer` is what was read of it, or why it cannot be read.
 *
 * Refuses a time that contradicts the reference. A wrong time would be stored for ever, and decide about conditions.
 */
export const foundAnswer = (
  title: string,
  transfer: Result.Result<Transfer, string>,
  response: UpstreamResponse
): Effect.Effect<BankAnswer, GatewayFailure> => {
  if (Result.isFailure(transfer)) return Effect.fail(slipFailed(`${title} ${transfer.failure}`, evidenceOf(response)))
  const { success } = transfer
  return contradictsReference(Date.parse(success.transferredAt), success)
    ? wrongZone(title, response)
    : Effect.succeed({ answer: { _tag: "Found", transfer: success }, upstream: evidenceOf(response) })
}

/** The failure for a time that is written in another time zone than the gateway states. The operator must know. */
export const wrongZone = (title: string, response: UpstreamResponse): Effect.Effect<never, GatewayFailure> =>
  Effect.andThen(
    Effect.logError(`${title} sends times in a wrong time zone: such answers are refused`),
    Effect.fail(slipFailed(`${title} found the slip, but its time is in a wrong time zone`, evidenceOf(response)))
  )

/** The failure for a response without a definite answer. Keeps the body. `now` in milliseconds since 1970. */
export const failureOf = (
  response: UpstreamResponse,
  now: number,
  { concerns, why }: Pick<GatewayFailure, "concerns" | "why">
): GatewayFailure =>
  new GatewayFailure({
    why,
    retryAfterSeconds: readRetryAfter(response.retryAfter, now),
    upstream: evidenceOf(response),
    concerns
  })

/**
 * The failure for a response without a code of the bank: the page of a proxy or of another server. `prefix` is that of
 * the bank's settings.
 */
export const foreignFailure = (
  title: string,
  prefix: string,
  response: UpstreamResponse,
  now: number
): GatewayFailure =>
  failureOf(response, now, {
    why: `${title} answered HTTP ${response.status}${adviceFor(response.status, prefix)}`,
    concerns: "gateway"
  })

const adviceFor = (status: number, prefix: string): string => {
  if (status === 429) return `: too many requests; try a lower ${prefix}_CONCURRENCY`
  return status >= 500 ? ": a server error" : ` without a known answer; check ${prefix}_BASE_URL`
}

/** Bounds of a bank's `Retry-After`: the service must not ask a caller to wait a day for a slip. */
const MIN_SECONDS = 1
const MAX_SECONDS = 300

/** Seconds to wait, from the header `Retry-After`. `now` in milliseconds. */
export const readRetryAfter = (header: string | undefined, now: number): number => {
  const millis = retryAfterMillis(header, now)
  return millis === undefined
    ? RETRY_AFTER_SECONDS
    : Math.min(Math.max(Math.ceil(millis / 1_000), MIN_SECONDS), MAX_SECONDS)
}
