import { Effect, Redacted } from "effect"
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { keyIdOf, pemOf, readPublicKeys, SigningKeyError } from "./public-keys.ts"
import { writeFileAtomic } from "../atomic-file.ts"

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
    // What the runtime says of a key may quote it.
    catch: () => new SigningKeyError({ message })
  })

/** The private key of the setting `SIGNING_KEY`. */
export const signingKeyOfSetting = (setting: Redacted.Redacted<string>) =>
  ed25519(
    () => createPrivateKey({ key: Buffer.from(Redacted.value(setting), "base64"), format: "der", type: "pkcs8" }),
    "SIGNING_KEY must hold an Ed25519 private key, PKCS8 in DER, in base64; make one with: "
      + "openssl genpkey -algorithm ed25519 -outform DER | base64 -w 0"
  )

/**
 * The private key in `signing.key` of the data folder, made the first time. Its public key is in `signing.pub` from
 * then on: a key that is made after another was lost comes to stand beside that one's, whose signatures go on to hold.
 */
export const signingKeyOfFolder = Effect.fnUntraced(function* (folder: string) {
  const file = signingKeyFile(folder)
  const known = existsSync(file)
  const key = known ? yield* readKey(file) : generateKeyPairSync("ed25519").privateKey
  if (!known) {
    const pem = key.export({ type: "pkcs8", format: "pem" }).toString()
    yield* attempt(() => writeFileAtomic(file, pem, 0o600), `${file} cannot be made`)
  }
  yield* publish(folder, createPublicKey(key))
  return key
})

const readKey = Effect.fnUntraced(function* (file: string) {
  const pem = yield* attempt(() => readFileSync(file, "utf8"), `${file} cannot be read`)
  return yield* ed25519(
    () => createPrivateKey(pem),
    `${file} must hold an Ed25519 private key in PEM: put it back from the backup, or move it away to have a new one made`
  )
})

/** Sees to it that a public key stands in `signing.pub`. */
const publish = Effect.fnUntraced(function* (folder: string, key: KeyObject) {
  const file = publicKeyFile(folder)
  const before = existsSync(file) ? yield* attempt(() => readFileSync(file, "utf8"), `${file} cannot be read`) : ""
  const others = before === "" ? [] : yield* readPublicKeys(before, file)
  if (others.some((other) => keyIdOf(other) === keyIdOf(key))) return
  if (others.length > 0) {
    yield* Effect.logWarning(`Checkpoints are signed with another key than before, ${keyIdOf(key)}: see ${file}`)
  }
  yield* attempt(() => writeFileAtomic(file, before + pemOf(key), 0o644), `${file} cannot be made`)
})
