import { Clock, Data, Effect, Redacted } from "effect"
import { timingSafeEqual } from "node:crypto"
import { ifKnown } from "../../../../application/events/follow-stream.ts"
import { makeOperatorsFollower, tokenDigestOf } from "../../../../application/operators/operators.ts"
import type { Act } from "../../../../domain/permissions.ts"
import { makeRequireAct, type Operator } from "../../../../application/operators/require-act.ts"
import type { RequestIds } from "../../../../application/events/handle-command.ts"
import {
  ADMIN_TOKEN_NAME,
  operatorNamed,
  type OperatorsState,
  operatorWithToken
} from "../../../../domain/operators.ts"
import type { SignInSource } from "../../../../domain/sign-in.ts"
import { makeAdminLimiter } from "./admin-limiter.ts"
import { addressOf } from "../server/client-address.ts"
import type { Exchange } from "../server/endpoint.ts"
import { type AdminSurface, countAdminRefusal, countRoleRefusal } from "../server/http-metrics.ts"
import { grantsAdmin, type OidcClient, oidcCredential } from "../../../platform/settings/oidc-client.ts"
import { sha256 } from "../../../platform/sha256.ts"
import { Vault } from "../../../../ports/vault.ts"

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
export const makeAdminAuth = Effect.fnUntraced(function* (
  token: Redacted.Redacted | undefined,
  oidc: OidcClient | undefined
) {
  const adminTokenDigest = token === undefined ? undefined : sha256(Redacted.value(token))
  const providerCredential = oidc === undefined ? undefined : oidcCredential(oidc)
  const limiter = makeAdminLimiter()
  const vault = yield* Vault
  const operators = yield* makeOperatorsFollower
  const requireAct = yield* makeRequireAct

  const operatorOf = Effect.fnUntraced(function* (given: string) {
    if (adminTokenDigest !== undefined && timingSafeEqual(sha256(given), adminTokenDigest)) {
      return { name: ADMIN_TOKEN_NAME, role: "admin" } satisfies Operator
    }
    if (!OPERATOR_TOKEN.test(given)) return undefined
    const known = yield* ifKnown(operators)
    if (known === undefined) {
      return yield* new AdminRefused({ reason: "unavailable", retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS })
    }
    const found = operatorWithToken(known, tokenDigestOf(vault, given))
    return found === undefined ? undefined : { name: found.name, role: found.role } satisfies Operator
  })

  /** Fails when the address must wait. Otherwise the caller says how its attempt ended, which counts for the address. */
  const admit = Effect.fnUntraced(function* (surface: AdminSurface, exchange: Exchange) {
    const address = yield* addressOf(exchange)
    const now = yield* Clock.currentTimeMillis
    const seconds = limiter.secondsToWait(address, now)
    if (seconds > 0) {
      yield* countAdminRefusal(surface, "paused")
      return yield* new AdminRefused({ reason: "paused", retryAfterSeconds: seconds })
    }
    return {
      succeeded: Effect.map(Clock.currentTimeMillis, (at) => limiter.succeeded(address, at)),
      failed: Effect.fnUntraced(function* (reason: "wrong-token" | "wrong-sign-in", message: string) {
        limiter.failed(address, yield* Clock.currentTimeMillis)
        yield* Effect.logWarning(message).pipe(Effect.annotateLogs({ address, surface }))
        yield* countAdminRefusal(surface, reason)
      })
    }
  })

  return {
    /** The operators, as this process knows them. Fails when it cannot read them and has not read them yet. */
    operators,
    /** Whether an administrator can come in without being an operator. */
    hasOtherAdmin: adminTokenDigest !== undefined || oidc !== undefined && grantsAdmin(oidc),

    /**
     * What a session of an operator is signed with: another value ends the session. Undefined when the operator does not
     * exist any more. Sessions that began at the provider end when the settings `OIDC_*` change.
     */
    credentialOf: (
      known: OperatorsState | undefined,
      { name, source }: { readonly name: string; readonly source: SignInSource }
    ): string | undefined => {
      if (source === "oidc") return providerCredential
      if (name === ADMIN_TOKEN_NAME) return adminTokenDigest?.toString("hex")
      return known === undefined ? undefined : operatorNamed(known, name)?.tokenDigest
    },

    admit,

    /** The operator of a token. */
    check: Effect.fnUntraced(function* (surface: AdminSurface, exchange: Exchange, given: string) {
      const { failed, succeeded } = yield* admit(surface, exchange)
      const operator = yield* operatorOf(given)
      if (operator !== undefined) {
        yield* succeeded
        return operator
      }
      yield* failed("wrong-token", "Refused a wrong admin token")
      return yield* new AdminRefused({ reason: "wrong-token", retryAfterSeconds: 0 })
    }),

    /** Fails with `RoleMissing` when the role of the operator may not do this, and records the attempt. */
    requireAct: (surface: AdminSurface, operator: Operator, act: Act, operation: RequestIds) =>
      Effect.tapErrorTag(
        requireAct(operator, act, surface, operation),
        "RoleMissing",
        () => countRoleRefusal(surface)
      )
  }
})

export type AdminAuth = Effect.Success<ReturnType<typeof makeAdminAuth>>
