import { HashMap, Option, Result, Schema } from "effect"
import { type ApiKey, excessOf, isInForce, keyIdOf, type KeyLimits, Scope } from "./api-key.ts"
import { type Complete, eventsOf } from "./decider.ts"

/** The part of a branch that is about its API keys. Their events stand in the branch's stream. */

// These names are the storage format: add, never edit.
export const keyEvents = {
  /** Only the keyed digest of a key is ever stored. */
  ApiKeyIssued: {
    keyDigest: Schema.String,
    /** Absent: the key becomes the branch's default key. */
    name: Schema.optional(Schema.String),
    /** Absent: every scope. */
    scopes: Schema.optional(Schema.Array(Scope)),
    /** ISO 8601, UTC. Absent: never. */
    expiresAt: Schema.optional(Schema.String),
    /** In the form of `canonicalNetwork`. Absent: every address that the branch admits. */
    networks: Schema.optional(Schema.Array(Schema.String))
  },
  ApiKeyRevoked: { keyDigest: Schema.String },
  /** The key was replaced, and works until then. */
  ApiKeyExpirySet: { keyDigest: Schema.String, expiresAt: Schema.String }
} as const

const KeyEvent = Schema.TaggedUnion(keyEvents)
type KeyEvent = typeof KeyEvent.Type

export interface BranchKeys {
  /** The digest of the default key. */
  readonly keyDigest: string | null
  /** Every key that the branch ever had, by its digest. `HashMap`: there can be thousands, and each event copies the map. */
  readonly keys: HashMap.HashMap<string, ApiKey>
}

export const noKeys: BranchKeys = { keyDigest: null, keys: HashMap.empty() }

/** The key with a digest; undefined when the branch never had it. */
export const keyWith = ({ keys }: BranchKeys, keyDigest: string): ApiKey | undefined =>
  Option.getOrUndefined(HashMap.get(keys, keyDigest))

const changed = (state: BranchKeys, keyDigest: string, fields: Partial<ApiKey>): BranchKeys["keys"] => {
  const key = keyWith(state, keyDigest)
  return key === undefined ? state.keys : HashMap.set(state.keys, keyDigest, { ...key, ...fields })
}

export const evolveKeys = (state: BranchKeys, event: KeyEvent): BranchKeys => {
  const { keyDigest } = event
  switch (event._tag) {
    case "ApiKeyIssued": {
      const key: ApiKey = { ...limitsOf(event), name: event.name ?? null, isReplaced: false, isRevoked: false }
      return {
        keyDigest: event.name === undefined ? keyDigest : state.keyDigest,
        keys: HashMap.set(state.keys, keyDigest, key)
      }
    }
    case "ApiKeyRevoked":
      return {
        keyDigest: state.keyDigest === keyDigest ? null : state.keyDigest,
        keys: changed(state, keyDigest, { isRevoked: true })
      }
    case "ApiKeyExpirySet":
      return { ...state, keys: changed(state, keyDigest, { isReplaced: true, expiresAt: event.expiresAt }) }
  }
}

/** The limits of an issued key. */
export const limitsOf = (
  { expiresAt, networks, scopes }: Omit<Partial<Extract<KeyEvent, { _tag: "ApiKeyIssued" }>>, "_tag">
): KeyLimits => ({ scopes: scopes ?? Scope.literals, expiresAt: expiresAt ?? null, networks: networks ?? null })

/** `by` is the digest of the key that asks for the command; null for an operator. `at` is in milliseconds since 1970. */
interface Asked {
  readonly by: string | null
  readonly at: number
}

export type KeyCommand =
  /** Replaces the default key. It stops at once, with the keys that it replaced itself. */
  | { readonly _tag: "RotateApiKey"; readonly keyDigest: string }
  /** Adds a key beside the others. */
  | {
    readonly _tag: "IssueApiKey"
    readonly keyDigest: string
    readonly name: string
    readonly limits: KeyLimits
    /** The default key of the time when the key was promised. The promise ends with it. Undefined for no promise. */
    readonly defaultKey?: string | null | undefined
  }
    & Asked
  /** Replaces one key by one with the same limits. The old key works until `overlapUntil`, at most until its expiry. */
  | {
    readonly _tag: "ReplaceApiKey"
    readonly keyId: string
    readonly keyDigest: string
    readonly overlapUntil: number
  }
    & Asked
  | { readonly _tag: "RevokeApiKey"; readonly keyId: string }

/** The branch has no key with this id. */
export class ApiKeyNotFound extends Schema.TaggedError<ApiKeyNotFound>()("ApiKeyNotFound", {}) {}

/**
 * Why a key is not issued: the branch has too many, it would be expired, it would be more than the key that asks for it
 * (which limit), the key that asks has ended meanwhile; or the key to replace was replaced before, or has ended.
 */
export class ApiKeyRefused extends Schema.TaggedError<ApiKeyRefused>()("ApiKeyRefused", {
  reason: Schema.Literals(["too-many", "past", "scopes", "expiresAt", "networks", "asking-ended", "replaced", "ended"])
}) {}

/** Keys in force of one branch. It bounds what a leaked key with the scope `configure` can add. */
export const MAX_KEYS = 100

const make = eventsOf(KeyEvent)

type Decided = Result.Result<ReadonlyArray<Complete<KeyEvent>>, ApiKeyNotFound | ApiKeyRefused>

const refused = (reason: ApiKeyRefused["reason"]): Decided => Result.fail(new ApiKeyRefused({ reason }))

/** Why the key that asks may not have a key with these limits issued; undefined when it may. */
const excessOfAsking = (limits: KeyLimits, { at, by }: Asked, state: BranchKeys) => {
  if (by === null) return undefined
  const own = keyWith(state, by)
  return own === undefined || !isInForce(own, at) ? "asking-ended" : excessOf(limits, own)
}

const isFull = ({ keys }: BranchKeys, at: number): boolean =>
  HashMap.reduce(keys, 0, (count, key) => isInForce(key, at) ? count + 1 : count) >= MAX_KEYS

const issued = (keyDigest: string, name: string | null, { expiresAt, networks, scopes }: KeyLimits) =>
  make.ApiKeyIssued({
    keyDigest,
    name: name ?? undefined,
    scopes: scopes.length === Scope.literals.length ? undefined : scopes,
    expiresAt: expiresAt ?? undefined,
    networks: networks ?? undefined
  })

export const issueDefaultKey = (keyDigest: string) => issued(keyDigest, null, limitsOf({}))

const issue = (command: Extract<KeyCommand, { readonly _tag: "IssueApiKey" }>, state: BranchKeys): Decided => {
  const { at, defaultKey, keyDigest, limits, name } = command
  if (defaultKey !== undefined && defaultKey !== state.keyDigest) return refused("asking-ended")
  if (HashMap.has(state.keys, keyDigest)) return Result.succeed([])
  const excess = excessOfAsking(limits, command, state)
  if (excess !== undefined) return refused(excess)
  if (limits.expiresAt !== null && Date.parse(limits.expiresAt) <= at) return refused("past")
  return isFull(state, at) ? refused("too-many") : Result.succeed([issued(keyDigest, name, limits)])
}

const find = ({ keys }: BranchKeys, keyId: string) => [...keys].find(([digest]) => keyIdOf(digest) === keyId)

const replace = (command: Extract<KeyCommand, { readonly _tag: "ReplaceApiKey" }>, state: BranchKeys): Decided => {
  const { at, keyDigest, keyId, overlapUntil } = command
  if (HashMap.has(state.keys, keyDigest)) return Result.succeed([])
  const found = find(state, keyId)
  if (found === undefined) return Result.fail(new ApiKeyNotFound())
  const [oldDigest, old] = found
  if (!isInForce(old, at)) return refused("ended")
  if (old.isReplaced) return refused("replaced")
  const excess = excessOfAsking(old, command, state)
  if (excess !== undefined) return refused(excess)
  const next = issued(keyDigest, old.name, old)
  if (overlapUntil <= at) return Result.succeed([make.ApiKeyRevoked({ keyDigest: oldDigest }), next])
  if (isFull(state, at)) return refused("too-many")
  const until = Math.min(overlapUntil, old.expiresAt === null ? Infinity : Date.parse(old.expiresAt))
  return Result.succeed([
    make.ApiKeyExpirySet({ keyDigest: oldDigest, expiresAt: new Date(until).toISOString() }),
    next
  ])
}

export const decideKeys = (command: KeyCommand, state: BranchKeys): Decided => {
  switch (command._tag) {
    case "RotateApiKey": {
      const { keyDigest } = command
      if (keyDigest === state.keyDigest) return Result.succeed([])
      const unnamed = [...state.keys].filter(([, { isRevoked, name }]) => name === null && !isRevoked)
      // The ids of the events depend on their order, and the order of the map on the version of its library.
      const replaced = unnamed.map(([old]) => old).sort()
      return Result.succeed([
        ...replaced.map((old) => make.ApiKeyRevoked({ keyDigest: old })),
        issueDefaultKey(keyDigest)
      ])
    }
    case "IssueApiKey":
      return issue(command, state)
    case "ReplaceApiKey":
      return replace(command, state)
    case "RevokeApiKey": {
      const found = find(state, command.keyId)
      if (found === undefined) return Result.fail(new ApiKeyNotFound())
      const [keyDigest, { isRevoked }] = found
      return Result.succeed(isRevoked ? [] : [make.ApiKeyRevoked({ keyDigest })])
    }
  }
}
