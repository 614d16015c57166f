import { Effect, Layer, Redacted } from "effect"
import { CappedMap } from "../../domain/capped-map.ts"
import { PATH_DIGITS } from "../../domain/key-tree.ts"
import type { Sealed } from "../../domain/sealed.ts"
import { Vault, VaultError } from "../../ports/vault.ts"
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

/**
 * The vault under a master key of 32 bytes: AES-256-GCM with random nonces and the purpose as associated data, and
 * HMAC-SHA-256 digests. The name of the master key is a digest of the key: the vault can distinguish a value under another
 * master key from a changed value. With `subjects`, a value that names a subject is encrypted under that subject's key.
 */
export const layerVault = (masterKey: Redacted.Redacted<Uint8Array>, subjects?: SubjectKeys): Layer.Layer<Vault> =>
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

    const seal = (purpose: string, plain: string, subject: string | undefined): Sealed => {
      if (subject === undefined || subjects === undefined) {
        return encrypt(masterSealingKey, masterName, nextNonce(), purpose, plain)
      }
      const path = pathOf(subject)
      const key = keyOf(subjects, path)
      // The subject was erased: later data about it is not stored either.
      return key === undefined
        ? { k: `s-${subjects.ring}-${path}`, n: "", c: "" }
        : encrypt(key, `s-${subjects.ring}-${path}`, nextNonce(), purpose, plain)
    }

    const keyNamed = (name: string) => {
      if (name === masterName) return masterSealingKey
      const [, ring, path = ""] = SUBJECT_KEY.exec(name) ?? []
      if (subjects === undefined || ring !== subjects.ring) return "unknown-key" as const
      return subjects.at(path) ?? "forgotten" as const
    }

    return Vault.of({
      seal: (purpose, plain, subject) => Effect.sync(() => seal(purpose, plain, subject)),
      open: (purpose, sealed) =>
        Effect.flatMap(
          Effect.try({ try: () => keyNamed(sealed.k), catch: notRead }),
          (key) =>
            typeof key === "string" ? Effect.fail(new VaultError({ reason: key })) : Effect.try({
              try: () => decrypt(key, purpose, sealed),
              catch: (cause) => new VaultError({ reason: "broken", cause })
            })
        ),
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
