import { Effect, Layer, Redacted } from "effect"
import type { KeyObject } from "node:crypto"
import { CappedMap } from "../../../domain/capped-map.ts"
import { PATH_DIGITS } from "../../../domain/key-tree.ts"
import { BOUND, isBound, placedAt, placeOf, type Sealed } from "../../../domain/sealed.ts"
import { type Unbound, Vault, VaultError } from "../../../ports/vault.ts"
import { decrypt, deriveKey, encrypt, makeNonces } from "./encryption.ts"
import { makeHmac } from "./hmac.ts"
import type { SubjectKeys } from "./subject-keys.ts"

/** The name of a subject's key, `s-{ring}-{path}`: which set of keys it belongs to, and its path in the key tree. */
const SUBJECT_KEY = /^s-([0-9a-f]{8})-([0-9a-f]{16})$/u

const MAX_CACHED_PATHS = 256

/** Whether a value is encrypted under the key of its subject, which cannot be derived from the master key. */
export const isUnderSubjectKey = ({ k }: Sealed): boolean => SUBJECT_KEY.test(k)

const notRead = (cause: unknown) => new VaultError({ reason: "not-read", cause })

const keyOf = (subjects: SubjectKeys, path: string) => {
  try {
    return subjects.at(path)
  } catch (cause) {
    throw notRead(cause)
  }
}

/** The context of a value that is bound to its record. No purpose begins so: the context of unbound values is another one. */
const boundContext = (purpose: string, record: string): string => `${BOUND}${purpose}\u0000${record}`

const everywhere: Unbound = () => Effect.succeed(true)

/**
 * The vault under a master key of 32 bytes: AES-256-GCM with random nonces, with the purpose and the record as associated
 * data, and HMAC-SHA-256 digests. The name of the master key is a digest of the key: the vault can distinguish a value under
 * another master key from a changed value. With `subjects`, a value that names a subject is encrypted under that subject's
 * key. `unbound` says where unbound values may stand: everywhere by default, as in a log from before values were bound.
 */
export const layerVault = (
  masterKey: Redacted.Redacted<Uint8Array>,
  subjects?: SubjectKeys,
  unbound: Unbound = everywhere
): Layer.Layer<Vault> =>
  Layer.sync(Vault, () => {
    const master = Redacted.value(masterKey)
    const masterSealingKey = deriveKey(master, "seal")
    const masterName = `m-${makeHmac(deriveKey(master, "name"))("").slice(0, 8)}`
    const nextNonce = makeNonces()
    const hmac = makeHmac(deriveKey(master, "digest"))
    const digest = (purpose: string, text: string) => hmac(`${purpose}\u0000${text}`).slice(0, 32)
    // One verification seals several values of its slip in a row.
    const paths = new CappedMap<string, string>(MAX_CACHED_PATHS)
    const pathOf = (subject: string): string => {
      const known = paths.get(subject) ?? digest("subject", subject).slice(0, PATH_DIGITS)
      if (!paths.has(subject)) paths.set(subject, known)
      return known
    }

    const encryptFor = (subject: string | undefined, context: string, plain: string): Sealed => {
      if (subject === undefined || subjects === undefined) {
        return encrypt(masterSealingKey, masterName, nextNonce(), context, plain)
      }
      const path = pathOf(subject)
      const key = keyOf(subjects, path)
      // The subject was erased: later data about it is not stored either.
      return key === undefined
        ? { k: `s-${subjects.ring}-${path}`, n: "", c: "" }
        : encrypt(key, `s-${subjects.ring}-${path}`, nextNonce(), context, plain)
    }

    const seal = (purpose: string, plain: string, subject: string | undefined, record: string | undefined): Sealed => {
      if (record === undefined) return encryptFor(subject, purpose, plain)
      const { c, k, n } = encryptFor(subject, boundContext(purpose, record), plain)
      return placedAt({ k, n, c: c === "" ? c : BOUND + c }, { record, position: undefined })
    }

    const openBound = (key: KeyObject, purpose: string, { c, k, n }: Sealed, record: string): string =>
      decrypt(key, boundContext(purpose, record), { k, n, c: c.slice(BOUND.length) })

    const open = Effect.fnUntraced(function* (purpose: string, sealed: Sealed, place = placeOf(sealed)) {
      const key = yield* Effect.try({ try: () => keyNamed(sealed.k), catch: notRead })
      if (typeof key === "string") return yield* new VaultError({ reason: key })
      const isOfRecord = place !== undefined && isBound(sealed)
      if (place !== undefined && !isOfRecord && !(yield* unbound(place.position))) {
        return yield* new VaultError({ reason: "unbound" })
      }
      return yield* Effect.try({
        try: () => isOfRecord ? openBound(key, purpose, sealed, place.record) : decrypt(key, purpose, sealed),
        catch: (cause) => new VaultError({ reason: "broken", cause })
      })
    })

    const keyNamed = (name: string) => {
      if (name === masterName) return masterSealingKey
      const [, ring, path = ""] = SUBJECT_KEY.exec(name) ?? []
      if (subjects === undefined || ring !== subjects.ring) return "unknown-key" as const
      return subjects.at(path) ?? "forgotten" as const
    }

    return Vault.of({
      seal: (purpose, plain, subject, record) => Effect.sync(() => seal(purpose, plain, subject, record)),
      open,
      digest,
      erase: (erased) =>
        subjects === undefined
          ? Effect.fail(new VaultError({ reason: "unknown-key" }))
          : subjects.destroy(erased.map(pathOf)).pipe(
            Effect.mapError((cause) => new VaultError({ reason: "not-written", cause }))
          ),
      available: Effect.try({ try: () => subjects?.refresh(), catch: notRead })
    })
  })
