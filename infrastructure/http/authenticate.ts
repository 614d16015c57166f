import { Context, Effect, Option } from "effect"
import { type Caller, Callers } from "../../application/provisioning/callers.ts"
import { ApiError } from "./api/failures.ts"
import type { Exchange } from "./endpoint.ts"
import { isWithin, parseAddress, parseRange, type Range } from "../ip-address.ts"
import { RateLimiter } from "../../ports/rate-limiter.ts"

/** Proxies whose `X-Forwarded-For` is trusted (setting `TRUSTED_PROXIES`). */
export const TrustedProxies = Context.Reference<ReadonlyArray<Range>>("sliptrail/http/TrustedProxies", {
  defaultValue: () => []
})

/**
 * The credential of an Authorization header; the scheme's case does not matter (docs/spec/http.md, "Order of checks").
 */
export const bearer = (header: string): string => /^bearer +(\S+)\s*$/iu.exec(header)?.[1] ?? ""

/** Counts a request against the branch's rate limit, and sets its headers (docs/spec/http.md, "Limits"). */
const limitRate = Effect.fnUntraced(function* (branchId: string, answerHeaders: Exchange["answerHeaders"]) {
  const status = yield* (yield* RateLimiter).take(branchId)
  if (status === undefined) return
  answerHeaders["x-ratelimit-limit"] = String(status.limit)
  answerHeaders["x-ratelimit-remaining"] = String(status.remaining)
  answerHeaders["x-ratelimit-reset"] = String(status.resetSeconds)
  if (status.isAdmitted) return
  return yield* new ApiError({ code: "RATE_LIMIT_EXCEEDED", retryAfterSeconds: status.retryAfterSeconds })
})

/** The address of the connection. */
export const peerOf = ({ request }: Exchange): string => Option.getOrElse(request.remoteAddress, () => "")

/** The address of the caller, behind trusted proxies too. */
export const addressOf = (exchange: Exchange): Effect.Effect<string> =>
  Effect.map(TrustedProxies, (proxies) => clientAddress(peerOf(exchange), exchange.headers["x-forwarded-for"], proxies))

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

/** Some proxies write the port behind an address. */
const withoutPort = (hop: string): string => {
  const host = /^(\d+\.\d+\.\d+\.\d+):\d+$|^\[([^\]]+)\](?::\d+)?$/u.exec(hop)
  return host?.[1] ?? host?.[2] ?? hop
}

/** The canonical text of an address; IPv4 inside IPv6 becomes IPv4. Other text is returned unchanged. */
export const canonicalAddress = (text: string): string => parseAddress(text.trim())?.toString() ?? text

/** Whether an address belongs to a trusted proxy. False for text that is not an address. */
export const isProxy = (address: string, proxies: ReadonlyArray<Range>): boolean =>
  isWithin(parseAddress(address), proxies)

/** Whether a whitelist allows a caller's address. */
export const isWhitelisted = (address: string, whitelist: ReadonlyArray<string>): boolean =>
  whitelist.includes("*")
  || isWithin(parseAddress(address), whitelist.map(parseRange).filter((range) => range !== undefined))

/**
 * The caller's address. `X-Forwarded-For` is read from the right: the first address that is not a trusted proxy
 * is the caller. The caller could have written every entry to the left of it.
 */
export const clientAddress = (
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: ReadonlyArray<Range>
): string => {
  let address = canonicalAddress(peer)
  for (const hop of (forwardedFor ?? "").split(",").reverse()) {
    if (hop.trim() === "" || !isProxy(address, trustedProxies)) break
    address = canonicalAddress(withoutPort(hop.trim()))
  }
  return address
}
