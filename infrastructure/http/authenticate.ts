import { Context, Effect, Option } from "effect"
import { RateLimiter } from "../../ports/rate-limiter.ts"
import { type Caller, Callers } from "../../application/provisioning/callers.ts"
import { clientAddress, isWhitelisted } from "./client-address.ts"
import type { Exchange } from "./endpoint.ts"
import type { Range } from "../ip-address.ts"
import { ApiError } from "./api/failures.ts"

/** Proxies whose `X-Forwarded-For` is believed (setting `TRUSTED_PROXIES`). */
export const TrustedProxies = Context.Reference<ReadonlyArray<Range>>("sliptrail/http/TrustedProxies", {
  defaultValue: () => []
})

/**
 * The credential of an Authorization header; the scheme's case does not matter (docs/spec/http.md, "Order of checks").
 */
export const bearer = (header: string): string => /^bearer +(\S+)\s*$/iu.exec(header)?.[1] ?? ""

/** How a branch stands towards its rate limit, in the headers of the answer (docs/spec/http.md, "Limits"). */
const limitRate = Effect.fnUntraced(function* (branchId: string, answerHeaders: Exchange["answerHeaders"]) {
  const standing = yield* (yield* RateLimiter).take(branchId)
  if (standing === undefined) return
  answerHeaders["x-ratelimit-limit"] = String(standing.limit)
  answerHeaders["x-ratelimit-remaining"] = String(standing.remaining)
  answerHeaders["x-ratelimit-reset"] = String(standing.resetSeconds)
  if (standing.isAdmitted) return
  return yield* new ApiError({ code: "RATE_LIMIT_EXCEEDED", retryAfterSeconds: standing.retryAfterSeconds })
})

/** The caller behind a request, or why it may not call, judged in the order of docs/spec/http.md, "Order of checks". */
export const identify = Effect.fnUntraced(function* ({ answerHeaders, headers, request }: Exchange) {
  const { authorization, "x-forwarded-for": forwardedFor } = headers
  if (authorization === undefined) return yield* new ApiError({ code: "MISSING_API_KEY" })
  const callers = yield* Callers
  const caller: Caller = yield* callers.authenticate(bearer(authorization))

  const { ipWhitelist } = caller.branch
  if (!ipWhitelist.includes("*")) {
    const peer = Option.getOrElse(request.remoteAddress, () => "")
    const address = clientAddress(peer, forwardedFor, yield* TrustedProxies)
    if (!isWhitelisted(address, ipWhitelist)) return yield* new ApiError({ code: "IP_NOT_ALLOWED" })
  }
  yield* limitRate(caller.branchId, answerHeaders)
  return caller
})
