import type { SignInLinkView } from "../views/keys.ts"
import { Clock, Effect } from "effect"
import { branchActor } from "../../domain/actor.ts"
import { allScopes, isInForce, keyIdOf, type KeyLimits, type Scope } from "../../domain/api-key.ts"
import { keyWith } from "../../domain/branch-keys.ts"
import { branches, operators, signInLinks, streamOf } from "../../domain/events/aggregates.ts"
import {
  isOperatorName,
  operatorNamed,
  OperatorNotFound,
  type OperatorsState,
  operatorWithId
} from "../../domain/operators.ts"
import { DEFAULT_LINK_HOURS, redeemable, SignInLinkMadeBefore, SignInLinkRefused } from "../../domain/sign-in-link.ts"
import { isoTime } from "../../domain/time.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { Vault } from "../../ports/vault.ts"
import { afterCursor, type Page, pageOf, type PageQuery } from "../../projections/engine/page.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import { branchesModel } from "../../projections/models/branches.ts"
import {
  openLinks,
  type SignInLinkRow,
  signInLinkRows,
  signInLinksModel
} from "../../projections/models/sign-in-links.ts"
import { handleCommand, load, type RequestIds } from "../events/handle-command.ts"
import { isAllowed } from "../../domain/permissions.ts"
import { handleBranchCommand } from "../provisioning/branches.ts"
import { type Caller, type CallerKey, Callers } from "../provisioning/callers.ts"
import { awaitVisibleToRequests, contextOf, handleOperatorCommand } from "../provisioning/operator-command.ts"

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

/** The digest of a token, which names the stream of its link. */
const LINK_ID = /^[0-9a-f]{32}$/u

const linkDigest = (token: string) => Effect.map(Vault, ({ digest }) => digest("sign-in-link", token))

/** The digest of the key that a link issues. The text of the key does not exist: the digest is that of a text which is no key. */
const keyDigestOf = (token: string) => Effect.map(Vault, ({ digest }) => digest("api-key", `link:${token}`))

/** The token of the link of one form with one content. Without the master key it cannot be computed from the form. */
const tokenOf = (branchId: string, formId: string, { name, scopes, validHours }: Required<NewSignInLink>) =>
  Effect.map(Vault, ({ digest }) => {
    const form = JSON.stringify([branchId, formId, name, scopes, validHours])
    return digest("sign-in-link-token-1", form) + digest("sign-in-link-token-2", form)
  })

/** The id of the operator of a command; null for a key, and for an operator who is not in the list, such as `ADMIN_TOKEN`. */
const operatorIdOf = Effect.fnUntraced(function* ({ actor }: RequestIds) {
  const { kind, operator } = actor
  if (kind !== "admin" || operator === undefined || !isOperatorName(operator)) return null
  const { state } = yield* load(operators, streamOf.operators())
  const found = operatorNamed(state, operator)
  return found === undefined ? yield* new OperatorNotFound() : found.operatorId
})

interface SignInLinkOptions {
  /** The key that asks. The link issues no key that is more than it. Undefined for an operator. */
  readonly asking?: CallerKey
  /** The id of the form: the same form with the same content makes one link. Without it, each call makes one. */
  readonly formId?: string | undefined
}

/**
 * Makes a link for a branch. The token is in this answer only. `id` is the id of the link, and `keyId` that of the key that
 * it will issue. Fails as the issue of that key would fail now, with `SignInLinkMadeBefore` when the form was sent before,
 * and with `OperatorNotFound` when the operator was removed meanwhile.
 */
export const makeSignInLink = Effect.fn("makeSignInLink")(function* (
  branchId: string,
  { name, scopes, validHours = DEFAULT_LINK_HOURS }: NewSignInLink,
  ids: RequestIds,
  { asking, formId }: SignInLinkOptions = {}
) {
  const limits: KeyLimits = {
    scopes: allScopes.filter((scope) => scopes.includes(scope)),
    expiresAt: asking?.expiresAt ?? null,
    networks: asking?.networks ?? null
  }
  const link = { name, scopes: limits.scopes, validHours }
  const token = yield* tokenOf(branchId, formId ?? (yield* Identifiers).random(), link)
  const context = yield* contextOf(ids)
  const keyDigest = yield* keyDigestOf(token)
  const { state } = yield* load(branches, streamOf.branch(branchId))
  const operatorId = yield* operatorIdOf(ids)
  const issue = { _tag: "IssueApiKey", keyDigest, name, limits, by: asking?.digest ?? null, at: context.at } as const
  yield* Effect.catchTag(Effect.fromResult(branches.decider.decide(issue, state)), "ApiKeyNotFound", Effect.die)

  const expiresAt = isoTime(context.at + validHours * HOUR_MILLIS)
  const id = yield* linkDigest(token)
  const { events } = yield* handleCommand(signInLinks, streamOf.signInLink(id), {
    _tag: "MakeSignInLink",
    branchId,
    name,
    scopes: limits.scopes,
    expiresAt,
    keyExpiresAt: limits.expiresAt,
    networks: limits.networks,
    madeBy: asking?.digest ?? null,
    operatorId,
    defaultKey: state.keyDigest,
    keyDigest,
    at: isoTime(context.at)
  }, context).pipe(Effect.catchTag("SignInLinkRefused", Effect.die))
  if (events.length === 0) return yield* new SignInLinkMadeBefore()
  return { id, token, keyId: keyIdOf(keyDigest), name, scopes: limits.scopes, expiresAt }
})

/** Whether the operator who made a link may still make links. A link of a key ends with the key instead. */
const hasMaker = (state: OperatorsState, operatorId: string | null | undefined): boolean => {
  if (operatorId === null || operatorId === undefined) return true
  const maker = operatorWithId(state, operatorId)
  return maker !== undefined && isAllowed(maker.role, "createSignInLink")
}

/**
 * Redeems a link, once, and returns the digest of the key that it issued. `admit` decides whether the device may use that
 * key: until it succeeds, nothing is stored. The digest derives from the token, so a request that is repeated after a crash
 * issues no second key. Of requests that race, one redeems the link.
 */
export const redeemSignInLink = Effect.fn("redeemSignInLink")(function* <E, R>(
  token: string,
  requestIds: Omit<RequestIds, "actor">,
  admit: (caller: Caller) => Effect.Effect<unknown, E, R>
) {
  if (!TOKEN.test(token)) return yield* new SignInLinkRefused({ reason: "unknown" })
  const stream = streamOf.signInLink(yield* linkDigest(token))
  const loaded = yield* load(signInLinks, stream)
  const at = yield* Clock.currentTimeMillis
  const { branchId, defaultKey, keyExpiresAt, madeBy, name, networks, operatorId, scopes } = yield* Effect.fromResult(
    redeemable(loaded.state, isoTime(at))
  )
  const { state: operatorsState } = yield* load(operators, streamOf.operators())
  if (!hasMaker(operatorsState, operatorId)) return yield* new SignInLinkRefused({ reason: "maker-ended" })

  const keyDigest = yield* keyDigestOf(token)
  const keyId = keyIdOf(keyDigest)
  const limits = { scopes, expiresAt: keyExpiresAt, networks }
  yield* caughtUp([branchesModel])
  yield* admit(yield* (yield* Callers).withKey(branchId, keyDigest, limits))

  const ids = { ...requestIds, actor: branchActor(branchId, keyId) }
  const issue = { _tag: "IssueApiKey", keyDigest, name, limits, by: madeBy, defaultKey, at } as const
  yield* handleBranchCommand(branchId, issue, ids)
  const context = yield* contextOf(ids)
  const redeem = { _tag: "RedeemSignInLink", redemptionId: context.commandId, keyDigest, at: isoTime(at) } as const
  yield* handleCommand(signInLinks, stream, redeem, context, loaded).pipe(
    Effect.tapErrorTag("SignInLinkRefused", ({ reason }) =>
      // The link was withdrawn between both steps: its key has no device.
      reason === "withdrawn"
        ? Effect.andThen(
          handleBranchCommand(branchId, { _tag: "RevokeApiKey", keyId }, ids),
          awaitVisibleToRequests
        )
        : Effect.void)
  )
  yield* awaitVisibleToRequests
  return keyDigest
})

const viewOf = (id: string, row: SignInLinkRow): SignInLinkView => {
  const { createdAt, expiresAt, keyDigest, madeBy, name, networks, operator, scopes } = row
  const keyIdOrNull = (digest: string | null) => digest === null ? null : keyIdOf(digest)
  const keyId = keyIdOrNull(keyDigest)
  return { id, name, scopes, networks, createdAt, expiresAt, keyId, operator, madeByKey: keyIdOrNull(madeBy) }
}

/**
 * The links of a branch that can still be redeemed, those that expire last first. A page reads `limit` links: it has fewer
 * when some of them have ended with what they were made by.
 */
export const listSignInLinks = Effect.fn("listSignInLinks")(function* (
  branchId: string,
  { cursor, limit }: Omit<PageQuery, "order">
) {
  yield* caughtUp([signInLinksModel])
  const now = yield* Clock.currentTimeMillis
  const { state: branch } = yield* load(branches, streamOf.branch(branchId))
  const { state: operatorsState } = yield* load(operators, streamOf.operators())
  const hasNotEnded = ({ defaultKey, madeBy, operatorId }: SignInLinkRow): boolean => {
    const asking = madeBy === null ? undefined : keyWith(branch, madeBy)
    return (defaultKey === undefined || defaultKey === branch.keyDigest)
      && (madeBy === null || (asking !== undefined && isInForce(asking, now)))
      && hasMaker(operatorsState, operatorId)
  }
  const range = { from: now + 1, ...afterCursor(cursor), limit: limit + 1, reverse: true }
  const { items, nextCursor } = pageOf(yield* openLinks(branchId).members(range), limit)
  const rows = yield* Effect.forEach(items, (id) => Effect.map(signInLinkRows.get(id), (row) => ({ id, row })))
  return {
    items: rows.flatMap(({ id, row }) => row !== undefined && hasNotEnded(row) ? [viewOf(id, row)] : []),
    nextCursor
  } satisfies Page<SignInLinkView>
})

/**
 * Ends a link of a branch before it is redeemed. Changes nothing when it has ended. Fails with `SignInLinkRefused` when the
 * branch has no such link, and when it was redeemed: its device then has a key.
 */
export const withdrawSignInLink = Effect.fn("withdrawSignInLink")(function* (
  branchId: string,
  id: string,
  ids: RequestIds
) {
  if (!LINK_ID.test(id)) return yield* new SignInLinkRefused({ reason: "unknown" })
  const withdraw = (at: string) => ({ _tag: "WithdrawSignInLink", branchId, at }) as const
  yield* handleOperatorCommand(signInLinks, streamOf.signInLink(id), withdraw, ids)
  return { id }
})
