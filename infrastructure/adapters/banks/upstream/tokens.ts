import { Clock, Data, Deferred, Effect, type Scope } from "effect"
import { readJson } from "./answer.ts"
import { gatewayFailed, type GatewayFailure } from "./gateway.ts"
import type { UpstreamResponse } from "./https-client.ts"
import { textOf } from "./slip-data.ts"

/** An access token of a bank. */
export interface AccessToken {
  readonly token: string
  /** Above 0; undefined when the bank states no lifetime. */
  readonly lifetimeSeconds: number | undefined
}

/** The bank refuses the token. `failure` is the result when it refuses a fresh token too. */
export class TokenRefused extends Data.TaggedError("TokenRefused")<{ readonly failure: GatewayFailure }> {}

export interface Tokens {
  /** A valid token: the cached one or a fresh one. */
  readonly current: Effect.Effect<string, GatewayFailure>
  /** Runs a request with a token. When the bank refuses the token, runs it once more with a fresh one. */
  readonly withToken: <A>(
    request: (token: string) => Effect.Effect<A, GatewayFailure | TokenRefused>
  ) => Effect.Effect<A, GatewayFailure>
}

/** A token is replaced this long before it expires, or at half of a short lifetime. */
const MARGIN_SECONDS = 60
const DEFAULT_LIFETIME_SECONDS = 300

/**
 * One token for all requests, cached until shortly before it expires. Concurrent callers share one token request. It
 * continues when its callers are interrupted, so that the next caller finds the token. A failure reaches all waiting
 * callers and is not cached. `requestToken` must have a time limit.
 */
export const makeTokens = (
  requestToken: Effect.Effect<AccessToken, GatewayFailure>
): Effect.Effect<Tokens, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    let cached: { readonly token: string; readonly until: number } | undefined
    let pending: Deferred.Deferred<string, GatewayFailure> | undefined

    const refresh = Effect.fnUntraced(function* () {
      // The lifetime counts from before the request: the bank issued the token at some point after it.
      const requestedAt = yield* Clock.currentTimeMillis
      const { lifetimeSeconds = DEFAULT_LIFETIME_SECONDS, token } = yield* requestToken
      cached = { token, until: requestedAt + (lifetimeSeconds - Math.min(MARGIN_SECONDS, lifetimeSeconds / 2)) * 1_000 }
      return token
    })

    const startRefresh = Effect.suspend(() => {
      if (pending !== undefined) return Effect.succeed(pending)
      const fresh = Deferred.makeUnsafe<string, GatewayFailure>()
      pending = fresh
      return refresh().pipe(
        Effect.onExit((exit) => {
          pending = undefined
          return Deferred.done(fresh, exit)
        }),
        Effect.forkIn(scope),
        Effect.as(fresh)
      )
    })

    const current = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (cached !== undefined && now < cached.until) return Effect.succeed(cached.token)
      return Effect.flatMap(Effect.uninterruptible(startRefresh), Deferred.await)
    })

    const invalidate = (token: string) =>
      Effect.sync(() => {
        // Another caller may have replaced it already.
        if (cached?.token === token) cached = undefined
      })

    return {
      current,
      withToken: (request) => {
        const retry = (token: string) => invalidate(token).pipe(Effect.andThen(current), Effect.flatMap(request))
        return Effect.flatMap(current, (token) => Effect.catchTag(request(token), "TokenRefused", () => retry(token)))
          .pipe(
            Effect.catchTag("TokenRefused", ({ failure }) => Effect.fail(failure))
          )
      }
    }
  })

/** How a bank issues tokens. */
export interface TokenRequest {
  readonly title: string
  readonly timeoutMillis: number
  readonly send: Effect.Effect<UpstreamResponse, GatewayFailure>
  /** Finds the token and its lifetime in seconds in the JSON of a successful response. */
  readonly read: (json: unknown) => { readonly token: string; readonly lifetime: unknown }
  /** Turns any other response into a failure. `now` in milliseconds. */
  readonly toFailure: (response: UpstreamResponse, now: number) => GatewayFailure
}

/** Requests a token. A response that may hold a token is not stored as evidence. */
export const requestToken = (
  { read, send, timeoutMillis, title, toFailure }: TokenRequest
): Effect.Effect<AccessToken, GatewayFailure> =>
  Effect.gen(function* () {
    const response = yield* send
    if (response.status < 200 || response.status > 299) {
      return yield* toFailure(response, yield* Clock.currentTimeMillis)
    }
    const { lifetime, token } = read(readJson(response.text))
    // The token is sent in a header.
    if (!/^[\x21-\x7e]+$/u.test(token)) return yield* gatewayFailed(`${title} gave no readable token`)
    const seconds = Number(textOf(lifetime))
    return { token, lifetimeSeconds: seconds > 0 ? seconds : undefined }
  }).pipe(Effect.timeoutOrElse({
    duration: timeoutMillis,
    orElse: () => Effect.fail(gatewayFailed(`${title} gave no token within ${timeoutMillis} ms`))
  }))
