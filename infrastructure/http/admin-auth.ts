import { Clock, Data, Effect, Redacted } from "effect"
import { timingSafeEqual } from "node:crypto"
import { makeAdminLimiter } from "./admin-limiter.ts"
import { addressOf } from "./client-address.ts"
import type { Exchange } from "./endpoint.ts"
import { type AdminSurface, countAdminRefusal } from "./http-metrics.ts"
import { sha256 } from "../sha256.ts"

/** The token is wrong, or the address must wait: then the token was not compared. */
export class AdminRefused extends Data.TaggedError("AdminRefused")<{
  readonly reason: "wrong-token" | "paused"
  /** Seconds until the address may try again; 0 when it may. */
  readonly retryAfterSeconds: number
}> {}

/**
 * Checks `ADMIN_TOKEN` for the admin API and the console, which share one limiter. The comparison takes the same time
 * for every wrong token. The limiter bounds how many wrong tokens are logged; refusals during a pause are only counted.
 */
export const makeAdminAuth = (token: Redacted.Redacted) => {
  const expected = sha256(Redacted.value(token))
  const limiter = makeAdminLimiter()

  return {
    token,
    check: Effect.fnUntraced(function* (surface: AdminSurface, exchange: Exchange, given: string) {
      const address = yield* addressOf(exchange)
      const now = yield* Clock.currentTimeMillis
      const refuse = Effect.fnUntraced(function* (reason: AdminRefused["reason"], retryAfterSeconds: number) {
        yield* countAdminRefusal(surface, reason)
        return yield* new AdminRefused({ reason, retryAfterSeconds })
      })

      const seconds = limiter.secondsToWait(address, now)
      if (seconds > 0) return yield* refuse("paused", seconds)
      if (timingSafeEqual(sha256(given), expected)) return limiter.succeeded(address, now)
      limiter.failed(address, now)
      yield* Effect.logWarning("Refused a wrong admin token").pipe(Effect.annotateLogs({ address, surface }))
      return yield* refuse("wrong-token", 0)
    })
  }
}

export type AdminAuth = ReturnType<typeof makeAdminAuth>
