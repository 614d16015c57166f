import { Data, Effect, Redacted } from "effect"
import { keyRows } from "../../projections/models/branches.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { Vault } from "../../ports/vault.ts"

/** The API key belongs to a branch, or belonged to one before it was replaced. */
export class ApiKeyInUse extends Data.TaggedError("ApiKeyInUse")<{}> {}

/** The API key of a new branch. The log holds its digest only. */
export interface NewKey {
  readonly apiKey: string
  readonly keyDigest: string
  readonly branchId: string
  /** The service of the branch, if that is new as well. */
  readonly serviceId: string
}

const digestOf = (apiKey: string) => Effect.map(Vault, (vault) => vault.digest("api-key", apiKey))

/** A new random key. */
export const randomKey = Effect.gen(function* () {
  const apiKey = (yield* Identifiers).random()
  return { apiKey, keyDigest: yield* digestOf(apiKey) }
})

/**
 * An API key of another verifier, a UUID v4 in lower case. The ids derive from it: of several imports of one key, the
 * stream of the branch accepts one. Fails when another branch has the key, or had it before.
 */
const importedKey = Effect.fnUntraced(function* (imported: Redacted.Redacted) {
  const identifiers = yield* Identifiers
  const apiKey = Redacted.value(imported)
  const keyDigest = yield* digestOf(apiKey)
  const branchId = identifiers.derived(`branch-of-key/${keyDigest}`)
  const owner = yield* keyRows.getCaughtUp(keyDigest)
  if (owner !== undefined && owner.branchId !== branchId) return yield* new ApiKeyInUse()
  return { apiKey, keyDigest, branchId, serviceId: identifiers.derived(`service-of-key/${keyDigest}`) } satisfies NewKey
})

/** The key of a new branch: the imported one, or a random one. */
export const keyOfBranch = Effect.fnUntraced(function* (imported: Redacted.Redacted | undefined) {
  if (imported !== undefined) return yield* importedKey(imported)
  const identifiers = yield* Identifiers
  return { ...(yield* randomKey), branchId: identifiers.random(), serviceId: identifiers.random() } satisfies NewKey
})
