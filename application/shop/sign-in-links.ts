import { Clock, Effect } from "effect"
import { branchActor } from "../../domain/actor.ts"
import { allScopes, keyIdOf, type KeyLimits, type Scope } from "../../domain/api-key.ts"
import { branches, signInLinks, streamOf } from "../../domain/events/aggregates.ts"
import { DEFAULT_LINK_HOURS, redeemable, SignInLinkMadeBefore, SignInLinkRefused } from "../../domain/sign-in-link.ts"
import { isoTime } from "../../domain/time.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { Vault } from "../../ports/vault.ts"
import { handleCommand, load, type RequestIds } from "../events/handle-command.ts"
import { handleBranchCommand } from "../provisioning/branches.ts"
import type { CallerKey } from "../provisioning/callers.ts"
import { awaitVisibleToRequests, contextOf, type Operation } from "../provisioning/operator-command.ts"

/** A link that signs one device in to the shop's page. */
export interface NewSignInLink {
  /** The name of the device, and of the key that it gets. */
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** How long the link can be redeemed, in hours. Absent: a day. */
  readonly validHours?: number | undefined
}

const HOUR_MILLIS = 3_600_000

/** Two keyed digests: 256 bits. */
const TOKEN = /^[0-9a-f]{64}$/u

const linkDigest = (token: string) => Effect.map(Vault, ({ digest }) => digest("sign-in-link", token))

/** The digest of the key that a link issues. The text of the key does not exist: the digest is that of a text which is no key. */
const keyDigestOf = (token: string) => Effect.map(Vault, ({ digest }) => digest("api-key", `link:${token}`))

/** The token of the link of one form with one content. Without the master key it cannot be computed from the form. */
const tokenOf = (branchId: string, formId: string, { name, scopes, validHours }: Required<NewSignInLink>) =>
  Effect.map(Vault, ({ digest }) => {
    const form = JSON.stringify([branchId, formId, name, scopes, validHours])
    return digest("sign-in-link-token-1", form) + digest("sign-in-link-token-2", form)
  })

interface SignInLinkOptions {
  /** The key that asks. The link issues no key that is more than it. Undefined for an operator. */
  readonly asking?: CallerKey
  /** The id of the form: the same form with the same content makes one link. Without it, each call makes one. */
  readonly formId?: string | undefined
}

/**
 * Makes a link for a branch. The token is in this answer only. `keyId` is the id of the key that the link will issue. Fails
 * as the issue of that key would fail now, and with `SignInLinkMadeBefore` when the form was sent before.
 */
export const makeSignInLink = Effect.fn("makeSignInLink")(function* (
  branchId: string,
  { name, scopes, validHours = DEFAULT_LINK_HOURS }: NewSignInLink,
  operation: Operation,
  { asking, formId }: SignInLinkOptions = {}
) {
  const limits: KeyLimits = {
    scopes: allScopes.filter((scope) => scopes.includes(scope)),
    expiresAt: asking?.expiresAt ?? null,
    networks: asking?.networks ?? null
  }
  const link = { name, scopes: limits.scopes, validHours }
  const token = yield* tokenOf(branchId, formId ?? (yield* Identifiers).random(), link)
  const context = yield* contextOf(operation)
  const keyDigest = yield* keyDigestOf(token)
  const { state } = yield* load(branches, streamOf.branch(branchId))
  const issue = { _tag: "IssueApiKey", keyDigest, name, limits, by: asking?.digest ?? null, at: context.at } as const
  yield* Effect.catchTag(Effect.fromResult(branches.decider.decide(issue, state)), "ApiKeyNotFound", Effect.die)

  const expiresAt = isoTime(context.at + validHours * HOUR_MILLIS)
  const { events } = yield* handleCommand(signInLinks, streamOf.signInLink(yield* linkDigest(token)), {
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
  if (events.length === 0) return yield* new SignInLinkMadeBefore()
  return { token, keyId: keyIdOf(keyDigest), name, scopes: limits.scopes, expiresAt }
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
  const keyDigest = yield* keyDigestOf(token)
  const operation = { ...ids, actor: branchActor(branchId, keyIdOf(keyDigest)) }
  const limits = { scopes, expiresAt: keyExpiresAt, networks }
  const issue = { _tag: "IssueApiKey", keyDigest, name, limits, by: madeBy, at } as const
  yield* handleBranchCommand(branchId, issue, operation)
  const context = yield* contextOf(operation)
  const redeem = { _tag: "RedeemSignInLink", redemptionId: context.commandId, keyDigest, at: isoTime(at) } as const
  yield* handleCommand(signInLinks, stream, redeem, context, loaded)
  yield* awaitVisibleToRequests
  return keyDigest
})
