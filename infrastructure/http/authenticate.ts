import { Effect } from "effect"
import { type Caller, Callers } from "../../application/provisioning/callers.ts"
import { ApiError } from "./api/failures.ts"
import type { Exchange } from "./endpoint.ts"
import { addressOf } from "./client-address.ts"
import { isWithin, parseAddress, parseRange } from "../ip-address.ts"
import { RateLimiter, type RateLimitStatus } from "../../ports/rate-limiter.ts"

/**
 * The credential of an Authorization header; the scheme's case does not matter (docs/spec/http.md, "Order of checks").
 */
export const bearer = (header: string): string => /^bearer +(\S+)\s*$/iu.exec(header)?.[1] ?? ""

type AnswerHeaders = Exchange["answerHeaders"]

/** Sets the headers of the rate limit; fails when the request is refused. */
const report = (status: RateLimitStatus | undefined, answerHeaders: AnswerHeaders): Effect.Effect<void, ApiError> => {
  if (status === undefined) return Effect.void
  answerHeaders["x-ratelimit-limit"] = String(status.limit)
  answerHeaders["x-ratelimit-remaining"] = String(status.remaining)
  answerHeaders["x-ratelimit-reset"] = String(status.resetSeconds)
  return status.isAdmitted
    ? Effect.void
    : Effect.fail(new ApiError({ code: "RATE_LIMIT_EXCEEDED", retryAfterSeconds: status.retryAfterSeconds }))
}

/** Counts a request against the branch's rate limit, and sets its headers (docs/spec/http.md, "Limits"). */
const limitRate = Effect.fnUntraced(function* (branchId: string, answerHeaders: AnswerHeaders) {
  yield* report(yield* (yield* RateLimiter).take(branchId), answerHeaders)
})

/** Counts an admitted request as `requests` more. It fails while the branch owes tokens for an earlier one. */
export const chargeRate = Effect.fnUntraced(function* (
  branchId: string,
  requests: number,
  answerHeaders: AnswerHeaders
) {
  if (requests > 0) yield* report(yield* (yield* RateLimiter).takeMore(branchId, requests), answerHeaders)
})

/** The caller of a request. Fails with the first failed check, in the order of docs/spec/http.md, "Order of checks". */
export const identify = Effect.fnUntraced(function* (exchange: Exchange) {
  const { authorization } = exchange.headers
  if (authorization === undefined) return yield* new ApiError({ code: "MISSING_API_KEY" })
  const callers = yield* Callers
  const caller: Caller = yield* callers.authenticate(bearer(authorization))

  const { ipWhitelist } = caller.branch
  if (!ipWhitelist.includes("*")) {
    if (!isWhitelisted(yield* addressOf(exchange), ipWhitelist)) return yield* new ApiError({ code: "IP_NOT_ALLOWED" })
  }
  yield* limitRate(caller.branchId, exchange.answerHeaders)
  return caller
})

/** Whether a whitelist allows a caller's address. */
export const isWhitelisted = (address: string, whitelist: ReadonlyArray<string>): boolean =>
  whitelist.includes("*")
  || isWithin(parseAddress(address), whitelist.map(parseRange).filter((range) => range !== undefined))
