import { Clock, Data, Effect, Redacted } from "effect"
import { timingSafeEqual } from "node:crypto"
import { makeOperatorsFollower, tokenDigestOf } from "../../application/operators/operators.ts"
import type { Act } from "../../application/operators/permissions.ts"
import { makeRequireAct, type Operator } from "../../application/operators/require-act.ts"
import type { Operation } from "../../application/provisioning/operator-command.ts"
import { ADMIN_TOKEN_NAME, operatorNamed, type OperatorsState, operatorWithToken } from "../../domain/operators.ts"
import type { SignInSource } from "../../domain/sign-in.ts"
import { makeAdminLimiter } from "./admin-limiter.ts"
import { addressOf } from "./client-address.ts"
import type { Exchange } from "./endpoint.ts"
import { type AdminSurface, countAdminRefusal, countRoleRefusal } from "./http-metrics.ts"
import { sha256 } from "../sha256.ts"
import { Vault } from "../../ports/vault.ts"

/**
 * The token is wrong, the address must wait (then the token was not compared), or the event store is away and this process
 * has not read the operators yet.
 */
export class AdminRefused extends Data.TaggedError("AdminRefused")<{
  readonly reason: "wrong-token" | "paused" | "unavailable"
  /** Seconds until the address may try again; 0 when it may. */
  readonly retryAfterSeconds: number
}> {}

/** The form of an operator's token. Other texts are not looked up. */
const OPERATOR_TOKEN = /^slt_[\w-]{43}$/u

/** `Retry-After` while the operators cannot be read, in seconds. */
const UNAVAILABLE_RETRY_SECONDS = 5

/**
 * Checks tokens for the admin API and the console, which share one limiter: those of operators, and `ADMIN_TOKEN` when it
 * is set. A wrong token takes the same time, however much of it is right. The limiter bounds how many wrong tokens are
 * logged; refusals during a pause are only counted.
 */
export const makeAdminAuth = Effect.fnUntraced(function* (token: Redacted.Redacted | undefined) {
  const adminTokenDigest = token === undefined ? undefined : sha256(Redacted.value(token))
  const limiter = makeAdminLimiter()
  const vault = yield* Vault
  const operators = yield* makeOperatorsFollower
  const requireAct = yield* makeRequireAct

  const operatorOf = Effect.fnUntraced(function* (given: string) {
    if (adminTokenDigest !== undefined && timingSafeEqual(sha256(given), adminTokenDigest)) {
      const bootstrap: Operator = { name: ADMIN_TOKEN_NAME, role: "admin" }
      return bootstrap
    }
    if (!OPERATOR_TOKEN.test(given)) return undefined
    const known = yield* operators
    if (known === undefined) {
      return yield* new AdminRefused({ reason: "unavailable", retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS })
    }
    const found = operatorWithToken(known, tokenDigestOf(vault, given))
    return found === undefined ? undefined : { name: found.name, role: found.role } satisfies Operator
  })

  return {
    /** The operators, as this process knows them; undefined when it has not read them yet. */
    operators,
    /** Whether an administrator can come in without being an operator. */
    hasOtherAdmin: adminTokenDigest !== undefined,

    /**
     * What a session of an operator is signed with: another value ends the session. Undefined when the operator does not
     * exist any more.
     */
    credentialOf: (
      known: OperatorsState | undefined,
      { name, source }: { readonly name: string; readonly source: SignInSource }
    ): string | undefined => {
      if (source === "oidc") return "oidc"
      if (name === ADMIN_TOKEN_NAME) return adminTokenDigest?.toString("hex")
      return known === undefined ? undefined : operatorNamed(known, name)?.tokenDigest
    },

    /** The operator of a token. */
    check: Effect.fnUntraced(function* (surface: AdminSurface, exchange: Exchange, given: string) {
      const address = yield* addressOf(exchange)
      const now = yield* Clock.currentTimeMillis
      const refuse = Effect.fnUntraced(function* (reason: "wrong-token" | "paused", retryAfterSeconds: number) {
        yield* countAdminRefusal(surface, reason)
        return yield* new AdminRefused({ reason, retryAfterSeconds })
      })

      const seconds = limiter.secondsToWait(address, now)
      if (seconds > 0) return yield* refuse("paused", seconds)
      const operator = yield* operatorOf(given)
      if (operator !== undefined) {
        limiter.succeeded(address, now)
        return operator
      }
      limiter.failed(address, now)
      yield* Effect.logWarning("Refused a wrong admin token").pipe(Effect.annotateLogs({ address, surface }))
      return yield* refuse("wrong-token", 0)
    }),

    /** Fails with `RoleMissing` when the role of the operator may not do this, and records the attempt. */
    requireAct: (surface: AdminSurface, operator: Operator, act: Act, operation: Operation) =>
      Effect.tapErrorTag(
        requireAct(operator, act, surface, operation),
        "RoleMissing",
        () => countRoleRefusal(surface)
      )
  }
})

export type AdminAuth = Effect.Success<ReturnType<typeof makeAdminAuth>>
