import { Context, Effect, Option } from "effect"
import { type Caller, Callers } from "../../application/queries/callers.ts"
import { ApiError } from "./api-error.ts"
import { clientAddress, isWhitelisted, type Range } from "./client-address.ts"
import type { Exchange } from "./endpoint.ts"
import { toApiError } from "./v2/errors.ts"

/** Proxies whose `X-Forwarded-For` is believed (setting `TRUSTED_PROXIES`). */
export const TrustedProxies = Context.Reference<ReadonlyArray<Range>>("sliptrail/http/TrustedProxies", {
  defaultValue: () => []
})

/** The credential of an Authorization header; the scheme's case does not matter (contract, "Order of checks"). */
export const bearer = (header: string): string => /^bearer +(\S+)\s*$/iu.exec(header)?.[1] ?? ""

/** The caller behind a request, or why it may not call, judged in the order of the contract. */
export const authenticate = Effect.fnUntraced(function*({ headers, request }: Exchange) {
  const { authorization, "x-forwarded-for": forwardedFor } = headers
  if (authorization === undefined) return yield* new ApiError({ code: "MISSING_API_KEY" })
  const callers = yield* Callers
  const caller: Caller = yield* Effect.mapError(callers.authenticate(bearer(authorization)), toApiError)

  const { ipWhitelist } = caller.branch
  if (!ipWhitelist.includes("*")) {
    const peer = Option.getOrElse(request.remoteAddress, () => "")
    const address = clientAddress(peer, forwardedFor, yield* TrustedProxies)
    if (!isWhitelisted(address, ipWhitelist)) return yield* new ApiError({ code: "IP_NOT_ALLOWED" })
  }
  return caller
})
