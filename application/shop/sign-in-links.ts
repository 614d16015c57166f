import { Clock, Effect } from "effect"
import { branchActor } from "../../domain/actor.ts"
import { allScopes, excessOf, keyIdOf, type KeyLimits, type Scope } from "../../domain/api-key.ts"
import { BranchNotFound } from "../../domain/branch.ts"
import { ApiKeyRefused } from "../../domain/branch-keys.ts"
import { branches, signInLinks, streamOf } from "../../domain/events/aggregates.ts"
import { redeemable, SignInLinkRefused } from "../../domain/sign-in-link.ts"
import { isoTime } from "../../domain/time.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { Vault } from "../../ports/vault.ts"
import { handleCommand, load, type RequestIds } from "../events/handle-command.ts"
import type { CallerKey } from "../provisioning/callers.ts"
import {
  awaitVisibleToRequests,
  contextOf,
  handleOperatorCommand,
  type Operation
} from "../provisioning/operator-command.ts"

/** A link that signs one device in to the shop's page. */
export interface NewSignInLink {
  /** The name of the device, and of the key that it gets. */
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** How long the link can be redeemed, in hours. */
  readonly validHours: number
}

const HOUR_MILLIS = 3_600_000

/** Two random ids without their hyphens: 244 random bits. */
const TOKEN = /^[0-9a-f]{64}$/u

const linkDigest = (token: string) => Effect.map(Vault, ({ digest }) => digest("sign-in-link", token))

/**
 * Makes a link for a branch. The token is in this answer only. The key that the link issues is never more than the key that
 * asks for it; `asking` is undefined for an operator.
 */
export const makeSignInLink = Effect.fn("makeSignInLink")(function* (
  branchId: string,
  { name, scopes, validHours }: NewSignInLink,
  operation: Operation,
  asking?: CallerKey
) {
  const branch = yield* load(branches, streamOf.branch(branchId))
  if (!branch.state.created) return yield* new BranchNotFound()
  const limits: KeyLimits = {
    scopes: allScopes.filter((scope) => scopes.includes(scope)),
    expiresAt: asking?.expiresAt ?? null,
    networks: asking?.networks ?? null
  }
  const excess = asking === undefined ? undefined : excessOf(limits, asking)
  if (excess !== undefined) return yield* new ApiKeyRefused({ reason: excess })
  const { random } = yield* Identifiers
  const token = `${random()}${random()}`.replaceAll("-", "")
  const context = yield* contextOf(operation)
  const expiresAt = isoTime(context.at + validHours * HOUR_MILLIS)
  yield* handleCommand(signInLinks, streamOf.signInLink(yield* linkDigest(token)), {
    _tag: "MakeSignInLink",
    branchId,
    name,
    scopes: limits.scopes,
    expiresAt,
    keyExpiresAt: limits.expiresAt,
    networks: limits.networks,
    madeBy: asking?.digest ?? null,
    at: isoTime(context.at)
  }, context).pipe(Effect.catchTag("SignInLinkRefused", Effect.die))
  return { token, name, scopes: limits.scopes, expiresAt }
})

/**
 * Redeems a link, once, and returns the digest of the key that it issued. The digest derives from the token, so a request
 * that is repeated after a crash issues no second key. Of requests that race, one redeems the link.
 */
export const redeemSignInLink = Effect.fn("redeemSignInLink")(function* (
  token: string,
  ids: Omit<RequestIds, "actor">
) {
  if (!TOKEN.test(token)) return yield* new SignInLinkRefused({ reason: "unknown" })
  const stream = streamOf.signInLink(yield* linkDigest(token))
  const loaded = yield* load(signInLinks, stream)
  const at = yield* Clock.currentTimeMillis
  const { branchId, keyExpiresAt, madeBy, name, networks, scopes } = yield* Effect.fromResult(
    redeemable(loaded.state, isoTime(at))
  )
  // The text of the key does not exist: the digest is that of a text which is no key.
  const keyDigest = (yield* Vault).digest("api-key", `link:${token}`)
  const operation = { ...ids, actor: branchActor(branchId, keyIdOf(keyDigest)) }
  const limits = { scopes, expiresAt: keyExpiresAt, networks }
  const issue = { _tag: "IssueApiKey", keyDigest, name, limits, by: madeBy, at } as const
  yield* handleOperatorCommand(branches, streamOf.branch(branchId), issue, operation)
  const context = yield* contextOf(operation)
  const redeem = { _tag: "RedeemSignInLink", redemptionId: context.commandId, keyDigest, at: isoTime(at) } as const
  yield* handleCommand(signInLinks, stream, redeem, context, loaded)
  yield* awaitVisibleToRequests
  return keyDigest
})
