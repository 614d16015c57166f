import { Clock, Data, Deferred, Effect, type Scope } from "effect"
import type { NoStatement } from "./gateway.ts"

/** A bearer token as an upstream gives it. */
export interface GrantedToken {
  readonly token: string
  /** For how long it is good, above 0; undefined where the upstream does not say. */
  readonly lifetimeSeconds: number | undefined
}

/** The upstream does not take the token. `otherwise` is what to say when it does not take a fresh one either. */
export class TokenRefused extends Data.TaggedError("TokenRefused")<{ readonly otherwise: NoStatement }> {}

export interface Tokens {
  /** A token that is good for a while: the one that is there, or a fresh one. */
  readonly current: Effect.Effect<string, NoStatement>
  /** Asks with a token; where the upstream refuses it, once more with a fresh one. */
  readonly asking: <A>(
    ask: (token: string) => Effect.Effect<A, NoStatement | TokenRefused>
  ) => Effect.Effect<A, NoStatement>
}

/** A token is replaced so long before it ends, or at half its life where that is short. */
const MARGIN_SECONDS = 60
const UNSTATED_LIFETIME_SECONDS = 300

/**
 * One token for everybody, kept until shortly before its end. However many wait for a fresh one, it is asked for once;
 * that goes on when they have given up, so that the next finds it. A failure is told to all who wait and to nobody
 * later. `grant` must end by itself.
 */
export const makeTokens = (
  grant: Effect.Effect<GrantedToken, NoStatement>
): Effect.Effect<Tokens, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    let held: { readonly token: string; readonly until: number } | undefined
    let coming: Deferred.Deferred<string, NoStatement> | undefined

    const take = Effect.fnUntraced(function* () {
      // Its life is counted from before it was asked for: on the way it has aged.
      const askedAt = yield* Clock.currentTimeMillis
      const { lifetimeSeconds = UNSTATED_LIFETIME_SECONDS, token } = yield* grant
      held = { token, until: askedAt + (lifetimeSeconds - Math.min(MARGIN_SECONDS, lifetimeSeconds / 2)) * 1_000 }
      return token
    })

    const fetch = Effect.suspend(() => {
      if (coming !== undefined) return Effect.succeed(coming)
      const fresh = Deferred.makeUnsafe<string, NoStatement>()
      coming = fresh
      return take().pipe(
        Effect.onExit((exit) => {
          coming = undefined
          return Deferred.done(fresh, exit)
        }),
        Effect.forkIn(scope),
        Effect.as(fresh)
      )
    })

    const current = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (held !== undefined && now < held.until) return Effect.succeed(held.token)
      return Effect.flatMap(Effect.uninterruptible(fetch), Deferred.await)
    })

    const drop = (token: string) =>
      Effect.sync(() => {
        // Somebody else may have put a fresh one in its place.
        if (held?.token === token) held = undefined
      })

    return {
      current,
      asking: (ask) => {
        const again = (token: string) => drop(token).pipe(Effect.andThen(current), Effect.flatMap(ask))
        return Effect.flatMap(current, (token) => Effect.catchTag(ask(token), "TokenRefused", () => again(token))).pipe(
          Effect.catchTag("TokenRefused", ({ otherwise }) => Effect.fail(otherwise))
        )
      }
    }
  })
