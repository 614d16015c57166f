import { Data, Effect, Layer } from "effect"
import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto"
import { SignatureVerifier } from "../../ports/notary.ts"

/** A key can't be had or used; `message` says what to do. */
export class SigningKeyError extends Data.TaggedError("SigningKeyError")<{ readonly message: string }> {}

/** The name of a public key: the beginning of the digest of its SPKI in DER. */
export const keyIdOf = (publicKey: KeyObject): string =>
  createHash("sha256").update(publicKey.export({ type: "spki", format: "der" })).digest("hex").slice(0, 16)

export const pemOf = (publicKey: KeyObject): string => publicKey.export({ type: "spki", format: "pem" }).toString()

const PEM_BLOCK = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/gu

/** All public keys of a text in PEM. `where` is what people call the text. */
export const readPublicKeys = (text: string, where: string): Effect.Effect<ReadonlyArray<KeyObject>, SigningKeyError> =>
  Effect.try({
    try: () => {
      const keys = (text.match(PEM_BLOCK) ?? []).map((block) => createPublicKey(block))
      if (keys.length === 0 || keys.some(({ asymmetricKeyType }) => asymmetricKeyType !== "ed25519")) throw new Error()
      return keys
    },
    catch: () =>
      new SigningKeyError({
        message: `${where} must hold Ed25519 public keys in PEM (-----BEGIN PUBLIC KEY-----), as signing.pub does`
      })
  })

/** Only the one base64 of some bytes: another spelling of a signature is not what was written. */
const bytesOf = (base64: string): Buffer | undefined => {
  const bytes = Buffer.from(base64, "base64")
  return bytes.toString("base64") === base64 ? bytes : undefined
}

/** Checks signatures by these keys. */
export const layerSignatureVerifier = (publicKeys: ReadonlyArray<KeyObject>): Layer.Layer<SignatureVerifier> =>
  Layer.sync(SignatureVerifier, () => {
    const keys = new Map(publicKeys.map((key) => [keyIdOf(key), key]))
    return SignatureVerifier.of({
      keyIds: [...keys.keys()],
      check: (keyId, text, signature) => {
        const key = keys.get(keyId)
        if (key === undefined) return "unknown-key"
        const bytes = bytesOf(signature)
        return bytes !== undefined && verify(null, Buffer.from(text), key, bytes) ? "valid" : "invalid"
      }
    })
  })
