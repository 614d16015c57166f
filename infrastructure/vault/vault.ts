import { Effect, Layer, Redacted } from "effect"
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync
} from "node:crypto"
import { Vault, VaultError } from "../../application/ports/vault.ts"
import type { Sealed } from "../../domain/sealed.ts"

const CIPHER = "aes-256-gcm"
const TAG_BYTES = 16
const NONCE_BYTES = 12

/** A key of its own for each use, out of the master key: what leaks of one says nothing of another. */
const subkey = (masterKey: Uint8Array, use: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync("sha256", masterKey, new Uint8Array(0), `sliptrail/${use}`, 32)))

/** Random nonces, drawn many at a time: each draw is a call into the kernel. Every byte is used once. */
const makeNonces = (): () => Buffer => {
  const pool = Buffer.alloc(NONCE_BYTES * 256)
  let at = pool.length
  return () => {
    if (at === pool.length) {
      randomFillSync(pool)
      at = 0
    }
    return Buffer.from(pool.subarray(at, at += NONCE_BYTES))
  }
}

const seal = (key: KeyObject, keyName: string, nonce: Buffer, purpose: string, plain: string): Sealed => {
  const cipher = createCipheriv(CIPHER, key, nonce)
  cipher.setAAD(Buffer.from(purpose))
  const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()])
  return { k: keyName, n: nonce.toString("base64"), c: text.toString("base64") }
}

const open = (key: KeyObject, purpose: string, sealed: Sealed): string => {
  const text = Buffer.from(sealed.c, "base64")
  const decipher = createDecipheriv(CIPHER, key, Buffer.from(sealed.n, "base64"), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(purpose))
  decipher.setAuthTag(text.subarray(-TAG_BYTES))
  return decipher.update(text.subarray(0, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
}

/**
 * The vault under one master key of 32 bytes: AES-256-GCM with a random nonce, the purpose as associated data, and
 * HMAC-SHA-256 digests. The key is named after its own digest, so that a value sealed under another master key is
 * told apart from one that was altered.
 */
export const layerVault = (masterKey: Redacted.Redacted<Uint8Array>): Layer.Layer<Vault> =>
  Layer.sync(Vault, () => {
    const master = Redacted.value(masterKey)
    const sealing = subkey(master, "seal")
    const digesting = subkey(master, "digest")
    const keyName = `m-${createHmac("sha256", subkey(master, "name")).digest("hex").slice(0, 8)}`

    const nextNonce = makeNonces()

    return Vault.of({
      seal: (purpose, plain) => Effect.sync(() => seal(sealing, keyName, nextNonce(), purpose, plain)),
      open: (purpose, sealed) =>
        sealed.k !== keyName
          ? Effect.fail(new VaultError({ reason: "unknown-key" }))
          : Effect.try({
            try: () => open(sealing, purpose, sealed),
            catch: (cause) => new VaultError({ reason: "broken", cause })
          }),
      digest: (purpose, text) =>
        createHmac("sha256", digesting).update(`${purpose}\u0000${text}`).digest("hex").slice(0, 32)
    })
  })
