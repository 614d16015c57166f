import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Logger, Redacted } from "effect"
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { Notary, SignatureVerifier } from "../../../../ports/notary.ts"
import {
  keyIdOf,
  layerNotary,
  layerSignatureVerifier,
  pemOf,
  publicKeyFile,
  readPublicKeys,
  signingKeyFile,
  signingKeyOfFolder,
  signingKeyOfSetting
} from "../../../../infrastructure/adapters/notary/signing-keys.ts"
import { signingKeySetting } from "../../../support/signing-key.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

const newPrivateKey = (): KeyObject => generateKeyPairSync("ed25519").privateKey

const modeOf = (file: string): number => statSync(file).mode & 0o777

const publicKeysIn = (folder: string) =>
  Effect.map(readPublicKeys(readFileSync(publicKeyFile(folder), "utf8"), "signing.pub"), (keys) => keys.map(keyIdOf))

describe("the signing key of a folder", () => {
  it.effect("is created once, readable by the owner only, as its public key", function* () {
    const folder = yield* temporaryFolder
    const made = yield* signingKeyOfFolder(folder)
    assert.strictEqual(modeOf(signingKeyFile(folder)), 0o600)
    assert.strictEqual(modeOf(publicKeyFile(folder)), 0o600, "doctor warns about files that others can read")
    const again = yield* signingKeyOfFolder(folder)
    const id = keyIdOf(createPublicKey(made))
    assert.match(id, /^[\da-f]{16}$/u)
    assert.strictEqual(keyIdOf(createPublicKey(again)), id)
    assert.deepStrictEqual(yield* publicKeysIn(folder), [id])
  })

  it.effect("is replaced when it was lost, and the old public key stays", () => {
    const logged: Array<string> = []
    return Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const lost = keyIdOf(createPublicKey(yield* signingKeyOfFolder(folder)))
      assert.deepStrictEqual(logged, [])
      rmSync(signingKeyFile(folder))
      const next = keyIdOf(createPublicKey(yield* signingKeyOfFolder(folder)))
      assert.deepStrictEqual(yield* publicKeysIn(folder), [lost, next])
      assert.match(logged.join("\n"), new RegExp(`signed with a new key, ${next}`, "u"))
    }).pipe(Effect.provide(Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void logged.push(line))])))
  })

  it.effect("restores a lost public key", function* () {
    const folder = yield* temporaryFolder
    const id = keyIdOf(createPublicKey(yield* signingKeyOfFolder(folder)))
    rmSync(publicKeyFile(folder))
    yield* signingKeyOfFolder(folder)
    assert.deepStrictEqual(yield* publicKeysIn(folder), [id])
  })

  it.effect("does not replace an unreadable key", function* () {
    const folder = yield* temporaryFolder
    const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey
    for (const text of ["", "-----BEGIN PRIVATE KEY-----", rsa.export({ type: "pkcs8", format: "pem" }).toString()]) {
      writeFileSync(signingKeyFile(folder), text)
      const { message } = yield* Effect.flip(signingKeyOfFolder(folder))
      assert.include(message, "must hold an Ed25519 private key in PEM")
      assert.strictEqual(readFileSync(signingKeyFile(folder), "utf8"), text)
    }
  })
})

describe("SIGNING_KEY", () => {
  it.effect("is PKCS8 in DER, in base64", function* () {
    const key = yield* signingKeyOfSetting(Redacted.make(signingKeySetting()))
    assert.strictEqual(key.asymmetricKeyType, "ed25519")
  })

  it.effect("is refused in any other format and not quoted", function* () {
    for (const setting of ["", "c2VjcmV0", newPrivateKey().export({ type: "pkcs8", format: "pem" }).toString()]) {
      const { message } = yield* Effect.flip(signingKeyOfSetting(Redacted.make(setting)))
      assert.match(
        message,
        /^SIGNING_KEY must hold .* openssl genpkey -algorithm ed25519 -outform DER \| base64 -w 0$/u
      )
    }
  })
})

describe("signatures", () => {
  const key = newPrivateKey()
  const other = newPrivateKey()
  const signed = (text: string) =>
    Effect.provide(Notary.use(({ keyId, sign }) => Effect.succeed({ keyId, signature: sign(text) })), layerNotary(key))
  const check = (keys: ReadonlyArray<KeyObject>, keyId: string, text: string, signature: string) =>
    Effect.provide(
      SignatureVerifier.use((verifier) => Effect.succeed(verifier.check(keyId, text, signature))),
      layerSignatureVerifier(keys.map((one) => createPublicKey(one)))
    )

  it.effect("are valid only under the key that made them", function* () {
    const { keyId, signature } = yield* signed("สลิป")
    assert.strictEqual(yield* check([other, key], keyId, "สลิป", signature), "valid")
    assert.strictEqual(yield* check([key], keyId, "สลิบ", signature), "invalid")
    assert.strictEqual(yield* check([other], keyId, "สลิป", signature), "unknown-key")
    assert.strictEqual(yield* check([other, key], keyIdOf(createPublicKey(other)), "สลิป", signature), "invalid")
  })

  it.effect("have exactly one valid spelling", function* () {
    const { keyId, signature } = yield* signed("text")
    // The last digit before the padding has bits that are not part of any byte.
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    const last = digits[digits.indexOf(signature[85] ?? "") + 1] ?? ""
    const same = `${signature.slice(0, 85)}${last}==`
    assert.deepStrictEqual(Buffer.from(same, "base64"), Buffer.from(signature, "base64"))
    for (const spelling of [same, signature.slice(0, 86), `${signature}\n`, "", signature.slice(4)]) {
      assert.strictEqual(yield* check([key], keyId, "text", spelling), "invalid")
    }
  })

  it.effect("are checked with all public keys of a file", function* () {
    const text = [key, other].map((one) => pemOf(createPublicKey(one))).join("")
    const keys = yield* readPublicKeys(text, "keys")
    assert.deepStrictEqual(keys.map(keyIdOf), [key, other].map((one) => keyIdOf(createPublicKey(one))))
    const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey
    const wrong = [
      "",
      "a key",
      text.replace("MCow", "MCox"),
      text + rsa.export({ type: "spki", format: "pem" }).toString()
    ]
    for (const text of wrong) {
      assert.match((yield* Effect.flip(readPublicKeys(text, "keys"))).message, /^keys must hold/u)
    }
  })
})
