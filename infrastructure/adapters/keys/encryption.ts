import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync
} from "node:crypto"
import type { Sealed } from "../../../domain/sealed.ts"

const CIPHER = "aes-256-gcm"
const TAG_BYTES = 16
const NONCE_BYTES = 12

/** Derives a separate key for each use from the master key. A leaked key reveals nothing about the others. */
export const deriveKey = (masterKey: Uint8Array, use: string): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync("sha256", masterKey, new Uint8Array(0), `sliptrail/${use}`, 32)))

/** Makes random nonces, many at a time because each draw is a system call. Each byte is used once. */
export const makeNonces = (): () => Buffer => {
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

/** Encrypts a text under a key. `context` is the associated data: what the value is for. */
export const encrypt = (key: KeyObject, keyName: string, nonce: Buffer, context: string, plain: string): Sealed => {
  const cipher = createCipheriv(CIPHER, key, nonce)
  cipher.setAAD(Buffer.from(context))
  const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()])
  return { k: keyName, n: nonce.toString("base64"), c: text.toString("base64") }
}

/** Decrypts the result of `encrypt`. Throws when the key or the context differs or when a byte was changed. */
export const decrypt = (key: KeyObject, context: string, sealed: Sealed): string => {
  const text = Buffer.from(sealed.c, "base64")
  const decipher = createDecipheriv(CIPHER, key, Buffer.from(sealed.n, "base64"), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(text.subarray(-TAG_BYTES))
  return decipher.update(text.subarray(0, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8")
}
