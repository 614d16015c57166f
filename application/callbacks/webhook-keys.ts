import { Clock, Effect } from "effect"
import { load, type Loaded } from "../events/handle-command.ts"
import { openWebhookSecret } from "../provisioning/branches.ts"
import { CappedMap } from "../../domain/capped-map.ts"
import { type BranchState, signingSecrets } from "../../domain/branch.ts"
import { branches, streamOf } from "../../domain/events/aggregates.ts"
import type { Sealed } from "../../domain/sealed.ts"
import { type SigningKey, signingKey } from "../../sdk/webhook/signature.ts"

/** Signing keys, the newest first. */
export type WebhookKeys = readonly [SigningKey, ...ReadonlyArray<SigningKey>]

const CACHED_BRANCHES = 1_000

interface CachedBranch {
  readonly loaded: Loaded<BranchState>
  /** Keyed by the ciphertext of the secret; empty after the branch has changed. */
  readonly keys: Map<string, SigningKey>
}

/**
 * The keys that sign a branch's callbacks. Each call reads what is new in the branch's stream: a secret that any process
 * has revoked is not among them. Only the state up to there and the imported keys are cached. A branch without a secret
 * is a defect, because every branch is created with one.
 */
export const makeWebhookKeys = () => {
  const cache = new CappedMap<string, CachedBranch>(CACHED_BRANCHES)

  const loadBranch = Effect.fnUntraced(function* (branchId: string) {
    const cached = cache.get(branchId)
    const loaded = yield* load(branches, streamOf.branch(branchId), cached?.loaded)
    const isSame = cached?.loaded.revision === loaded.revision
    const entry: CachedBranch = { loaded, keys: isSame ? cached.keys : new Map() }
    cache.set(branchId, entry)
    return entry
  })

  const keyOf = Effect.fnUntraced(function* (secret: Sealed, { keys }: CachedBranch) {
    const cached = keys.get(secret.c)
    if (cached !== undefined) return cached
    const text = yield* Effect.orDie(openWebhookSecret(secret))
    const key = yield* Effect.promise(() => signingKey(text))
    keys.set(secret.c, key)
    return key
  })

  return Effect.fnUntraced(function* (branchId: string) {
    const branch = yield* loadBranch(branchId)
    const secrets = signingSecrets(branch.loaded.state, yield* Clock.currentTimeMillis)
    const [newest, ...older] = yield* Effect.forEach(secrets, (secret) => keyOf(secret, branch))
    if (newest === undefined) return yield* Effect.die(`branch ${branchId} has no webhook secret`)
    return [newest, ...older] satisfies WebhookKeys
  })
}
