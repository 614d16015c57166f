import { Data, Effect, Layer, Redacted } from "effect"
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify
} from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Hashing, Notary, SignatureVerifier } from "../../../ports/notary.ts"
import { writeFileAtomic } from "../../platform/atomic-file.ts"
import { sha256 } from "../../platform/sha256.ts"

export const layerHashing: Layer.Layer<Hashing> = Layer.succeed(Hashing, sha256)

/** Signs with an Ed25519 private key. */
export const layerNotary = (privateKey: KeyObject): Layer.Layer<Notary> =>
  Layer.sync(Notary, () =>
    Notary.of({
      keyId: keyIdOf(createPublicKey(privateKey)),
      sign: (text) => sign(null, Buffer.from(text), privateKey).toString("base64")
    }))

/** A key cannot be read or used. `message` says what to do. */
export class SigningKeyError extends Data.TaggedError("SigningKeyError")<{ readonly message: string }> {}

/** The id of a public key: the first 16 hexadecimal digits of the SHA-256 of its SPKI in DER. */
export const keyIdOf = (publicKey: KeyObject): string =>
  createHash("sha256").update(publicKey.export({ type: "spki", format: "der" })).digest("hex").slice(0, 16)

export const pemOf = (publicKey: KeyObject): string => publicKey.export({ type: "spki", format: "pem" }).toString()

const PEM_BLOCK = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/gu

/** Reads all public keys of a text in PEM. `where` names the text in the error. */
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

/** Accepts only canonical base64: another spelling of a signature is a changed text. */
const bytesOf = (base64: string): Buffer | undefined => {
  const bytes = Buffer.from(base64, "base64")
  return bytes.toString("base64") === base64 ? bytes : undefined
}

/** Checks signatures with these public keys. */
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

export const signingKeyFile = (folder: string): string => join(folder, "signing.key")
export const publicKeyFile = (folder: string): string => join(folder, "signing.pub")

const attempt = <A>(run: () => A, message: string) =>
  Effect.try({ try: run, catch: (cause) => new SigningKeyError({ message: `${message}: ${String(cause)}` }) })

const ed25519 = (make: () => KeyObject, message: string) =>
  Effect.try({
    try: () => {
      const key = make()
      if (key.asymmetricKeyType !== "ed25519") throw new Error()
      return key
    },
    // The error of the runtime can quote the key.
    catch: () => new SigningKeyError({ message })
  })

/** The private key of the setting `SIGNING_KEY`. */
export const signingKeyOfSetting = (setting: Redacted.Redacted<string>) =>
  ed25519(
    () => createPrivateKey({ key: Buffer.from(Redacted.value(setting), "base64"), format: "der", type: "pkcs8" }),
    "SIGNING_KEY must hold an Ed25519 private key, PKCS8 in DER, in base64. Create a key with: "
      + "openssl genpkey -algorithm ed25519 -outform DER | base64 -w 0"
  )

/**
 * The private key in `signing.key` of the data folder, created at the first start. Its public key is appended to
 * `signing.pub`, which keeps the public keys of lost private keys: their signatures stay valid.
 */
export const signingKeyOfFolder = Effect.fnUntraced(function* (folder: string) {
  const file = signingKeyFile(folder)
  const exists = existsSync(file)
  const key = exists ? yield* readKey(file) : generateKeyPairSync("ed25519").privateKey
  if (!exists) {
    const pem = key.export({ type: "pkcs8", format: "pem" }).toString()
    yield* attempt(() => writeFileAtomic(file, pem, 0o600), `${file} cannot be written`)
  }
  yield* publish(folder, createPublicKey(key))
  return key
})

const readKey = Effect.fnUntraced(function* (file: string) {
  const pem = yield* attempt(() => readFileSync(file, "utf8"), `${file} cannot be read`)
  return yield* ed25519(
    () => createPrivateKey(pem),
    `${file} must hold an Ed25519 private key in PEM. Restore it from a backup, or move it away to create a new key`
  )
})

/** Adds a public key to `signing.pub` when it is missing there. */
const publish = Effect.fnUntraced(function* (folder: string, key: KeyObject) {
  const file = publicKeyFile(folder)
  const before = existsSync(file) ? yield* attempt(() => readFileSync(file, "utf8"), `${file} cannot be read`) : ""
  const others = before === "" ? [] : yield* readPublicKeys(before, file)
  if (others.some((other) => keyIdOf(other) === keyIdOf(key))) return
  if (others.length > 0) {
    yield* Effect.logWarning(`Tree heads are signed with a new key, ${keyIdOf(key)}; ${file} lists all keys`)
  }
  yield* attempt(() => writeFileAtomic(file, before + pemOf(key), 0o600), `${file} cannot be written`)
})
