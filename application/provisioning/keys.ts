import type { KeyState, KeyView } from "../views/keys.ts"
import { Clock, Effect } from "effect"
import { randomKey } from "./api-keys.ts"
import { handleBranchCommand } from "./branches.ts"
import type { CallerKey } from "./callers.ts"
import { awaitVisibleToRequests } from "./operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"
import { allScopes, keyIdOf, type KeyLimits, type Scope } from "../../domain/api-key.ts"
import { ApiKeyNotFound, type KeyCommand } from "../../domain/branch-keys.ts"
import { streamOf } from "../../domain/events/aggregates.ts"
import { isoTime } from "../../domain/time.ts"
import { EventStore } from "../../ports/event-store.ts"
import { pageOfAll, type PageQuery } from "../../projections/engine/page.ts"
import { whenReady } from "../../projections/engine/readiness.ts"
import { branchesModel, branchesWrites, branchSets, type KeyRow, keyRows } from "../../projections/models/branches.ts"

/** A key works, so it can be replaced or revoked. */
export const isInForce = ({ state }: Pick<KeyView, "state">): boolean => state === "active" || state === "replaced"

const stateOf = ({ expiresAt, replaced, revoked }: KeyRow, now: number): KeyState => {
  if (revoked) return "revoked"
  if (expiresAt !== null && Date.parse(expiresAt) <= now) return "expired"
  return replaced ? "replaced" : "active"
}

const viewOf = (keyDigest: string, row: KeyRow, now: number): KeyView => {
  const { createdAt, expiresAt, lastUsedOn, name, networks, scopes } = row
  return { id: keyIdOf(keyDigest), name, scopes, expiresAt, networks, state: stateOf(row, now), lastUsedOn, createdAt }
}

/** The keys of a branch, also the ones that have ended, the newest first. */
export const listKeys = Effect.fn("keys.listKeys")(function* (branchId: string, page: Omit<PageQuery, "order">) {
  yield* whenReady(branchesModel)
  const now = yield* Clock.currentTimeMillis
  const { items, nextCursor } = yield* pageOfAll([branchSets.keysOf(branchId)], { ...page, order: "newest" })
  const rows = yield* Effect.forEach(items, (digest) => Effect.map(keyRows.get(digest), (row) => ({ digest, row })))
  return { items: rows.flatMap(({ digest, row }) => row === undefined ? [] : [viewOf(digest, row, now)]), nextCursor }
})

/** A key of a branch, read from the log: current even without a projector. */
export const findKey = Effect.fnUntraced(function* (branchId: string, keyId: string) {
  const { readStream } = yield* EventStore
  const ofBranch = (yield* readStream(streamOf.branch(branchId))).flatMap(branchesWrites)
  const digest = ofBranch.flatMap((write) =>
    write._tag === "SetFields" && write.table === keyRows.name ? [write.key] : []
  )
    .find((key) => keyIdOf(key) === keyId)
  if (digest === undefined) return yield* new ApiKeyNotFound()
  const uses = (yield* readStream(streamOf.keyUse(digest))).flatMap(branchesWrites)
  const row = keyRows.fold([...ofBranch, ...uses], digest)
  return row === undefined ? yield* new ApiKeyNotFound() : viewOf(digest, row, yield* Clock.currentTimeMillis)
})

/** Runs a command about one key. Returns the key after the change has become visible to requests. */
const commandKey = Effect.fnUntraced(function* (
  branchId: string,
  keyId: string,
  command: KeyCommand,
  ids: RequestIds
) {
  yield* handleBranchCommand(branchId, command, ids)
  yield* awaitVisibleToRequests
  return yield* findKey(branchId, keyId)
})

export interface NewApiKey {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** Null never expires. Absent: as the key that asks, or never when an operator asks. */
  readonly expiresAt?: string | null | undefined
  /** Null is every address that the branch admits. Absent: as the key that asks, or null when an operator asks. */
  readonly networks?: ReadonlyArray<string> | null | undefined
}

/** `asking` is the key of the request. It issues no key that is more than itself. Undefined for an operator. */
type Asking = Pick<CallerKey, "digest" | "expiresAt" | "networks"> | undefined

/** Adds a key to a branch. */
export const createKey = Effect.fn("keys.createKey")(function* (
  branchId: string,
  { expiresAt, name, networks, scopes }: NewApiKey,
  ids: RequestIds,
  asking?: Asking
) {
  const { apiKey, keyDigest } = yield* randomKey
  const limits: KeyLimits = {
    scopes: allScopes.filter((scope) => scopes.includes(scope)),
    expiresAt: expiresAt === undefined ? asking?.expiresAt ?? null : expiresAt,
    networks: networks === undefined ? asking?.networks ?? null : networks
  }
  const at = yield* Clock.currentTimeMillis
  const command = { _tag: "IssueApiKey", keyDigest, name, limits, by: asking?.digest ?? null, at } as const
  return { ...(yield* commandKey(branchId, keyIdOf(keyDigest), command, ids)), apiKey }
})

const DEFAULT_OVERLAP_SECONDS = 86_400

/** Replaces a key by one with the same name and limits. For `overlapSeconds` the old one works too. */
export const rotateKey = Effect.fn("keys.rotateKey")(function* (
  branchId: string,
  keyId: string,
  ids: RequestIds,
  overlapSeconds: number = DEFAULT_OVERLAP_SECONDS,
  asking?: Asking
) {
  const { apiKey, keyDigest } = yield* randomKey
  const at = yield* Clock.currentTimeMillis
  const overlapUntil = at + overlapSeconds * 1_000
  const command = { _tag: "ReplaceApiKey", keyId, keyDigest, overlapUntil, by: asking?.digest ?? null, at } as const
  const key = yield* commandKey(branchId, keyIdOf(keyDigest), command, ids)
  const previous = yield* findKey(branchId, keyId)
  const previousExpiresAt = previous.state === "revoked" ? isoTime(at) : previous.expiresAt ?? isoTime(overlapUntil)
  return { ...key, apiKey, previousExpiresAt }
})

/** Revokes a key at once and for good. */
export const revokeKey = Effect.fn("keys.revokeKey")(
  (branchId: string, keyId: string, ids: RequestIds) =>
    Effect.catchTag(
      commandKey(branchId, keyId, { _tag: "RevokeApiKey", keyId }, ids),
      "ApiKeyRefused",
      Effect.die
    )
)
