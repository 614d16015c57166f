import { Effect, Layer, Redacted } from "effect"
import { createHmac } from "node:crypto"
import { Vault, VaultError } from "../../ports/vault.ts"
import { PATH_DIGITS } from "../../domain/key-tree.ts"
import type { Sealed } from "../../domain/sealed.ts"
import { makeNonces, open, seal, subkey } from "./sealing.ts"
import type { SubjectKeys } from "./subject-keys.ts"

/** `s-{ring}-{path}`: a key of a subject, and where it is found. */
const SUBJECT_KEY = /^s-([0-9a-f]{8})-([0-9a-f]{16})$/u

/** Whether a value is sealed under a key of its subject's, which stands outside the master key. */
export const isUnderSubjectKey = ({ k }: Sealed): boolean => SUBJECT_KEY.test(k)

/**
 * The vault under one master key of 32 bytes: AES-256-GCM with a random nonce, the purpose as associated data, and
 * HMAC-SHA-256 digests. The key is named after its own digest, so that a value sealed under another master key is
 * told apart from one that was altered. With `subjects`, what is sealed for a subject is sealed under that one's key.
 */
export const layerVault = (
  masterKey: Redacted.Redacted<Uint8Array>,
  subjects?: SubjectKeys
): Layer.Layer<Vault> =>
  Layer.sync(Vault, () => {
    const master = Redacted.value(masterKey)
    const sealing = subkey(master, "seal")
    const digesting = subkey(master, "digest")
    const masterName = `m-${createHmac("sha256", subkey(master, "name")).digest("hex").slice(0, 8)}`
    const nextNonce = makeNonces()
    const digest = (purpose: string, text: string) =>
      createHmac("sha256", digesting).update(`${purpose}\u0000${text}`).digest("hex").slice(0, 32)
    const pathOf = (subject: string): string => digest("subject", subject).slice(0, PATH_DIGITS)

    const sealFor = (purpose: string, plain: string, subject: string | undefined): Sealed => {
      if (subject === undefined || subjects === undefined) return seal(sealing, masterName, nextNonce(), purpose, plain)
      const path = pathOf(subject)
      const key = subjects.at(path)
      // Of a subject that was forgotten nothing is kept any more, not even for later.
      return key === undefined
        ? { k: `s-${subjects.ring}-${path}`, n: "", c: "" }
        : seal(key, `s-${subjects.ring}-${path}`, nextNonce(), purpose, plain)
    }

    const keyNamed = (name: string) => {
      if (name === masterName) return sealing
      const [, ring, path = ""] = SUBJECT_KEY.exec(name) ?? []
      if (subjects === undefined || ring !== subjects.ring) return "unknown-key" as const
      return subjects.at(path) ?? "forgotten" as const
    }

    return Vault.of({
      seal: (purpose, plain, subject) => Effect.sync(() => sealFor(purpose, plain, subject)),
      open: (purpose, sealed) => {
        const key = keyNamed(sealed.k)
        return typeof key === "string" ? Effect.fail(new VaultError({ reason: key })) : Effect.try({
          try: () => open(key, purpose, sealed),
          catch: (cause) => new VaultError({ reason: "broken", cause })
        })
      },
      digest,
      forget: (names) =>
        subjects === undefined
          ? Effect.fail(new VaultError({ reason: "unknown-key" }))
          : subjects.destroy(names.map(pathOf)).pipe(
            Effect.mapError((cause) => new VaultError({ reason: "not-written", cause }))
          )
    })
  })
