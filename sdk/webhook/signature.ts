/**
 * The signatures of callbacks, for senders and receivers. They need only Web Crypto.
 *
 * Each callback is signed in two ways under one secret `whsec_…`. The key of `X-Service-Signature` is the text of the
 * whole secret in UTF-8 (docs/spec/http.md, "Signature"). The key of `webhook-signature` is the decoded base64 of the
 * secret, as in the published libraries of Standard Webhooks.
 */

/** The content that `webhook-signature` signs: the headers `webhook-id` and `webhook-timestamp`, and the body. */
export interface SignedMessage {
  readonly id: string
  /** Seconds since 1970, as in the header. */
  readonly timestamp: string
  readonly body: string | Uint8Array
}

/** A secret, imported for both signatures. The import takes longer than signing. */
export interface SigningKey {
  readonly whole: CryptoKey
  readonly decoded: CryptoKey
}

/** Imports a secret `whsec_…`. Rejects a secret with invalid base64. */
export const signingKey = async (secret: string): Promise<SigningKey> => {
  const [whole, decoded] = await Promise.all([wholeKey(secret, "sign"), decodedKey(secret, "sign")])
  return { whole, decoded }
}

/** The values of both headers: `X-Service-Signature` under the first key, `webhook-signature` under every key. */
export const signatures = async (
  message: SignedMessage,
  [newest, ...older]: readonly [SigningKey, ...ReadonlyArray<SigningKey>]
): Promise<{ readonly service: string; readonly standard: string }> => {
  const signed = signedBytes(message)
  const [service, ...standard] = await Promise.all([
    macOf(newest.whole, bytesOf(message.body)),
    macOf(newest.decoded, signed),
    ...older.map(({ decoded }) => macOf(decoded, signed))
  ])
  return { service: serviceValue(service), standard: standardValue(standard) }
}

/** The value of `X-Service-Signature`: `sha256=` and the HMAC-SHA-256 of exactly these bytes, in hexadecimal. */
export const serviceSignature = async (body: string | Uint8Array, secret: string): Promise<string> =>
  serviceValue(await macOf(await wholeKey(secret, "sign"), bytesOf(body)))

/** The value of `webhook-signature`: one signature for each secret, in their order. */
export const standardSignature = async (message: SignedMessage, secrets: ReadonlyArray<string>): Promise<string> => {
  const signed = signedBytes(message)
  return standardValue(
    await Promise.all(secrets.map(async (secret) => macOf(await decodedKey(secret, "sign"), signed)))
  )
}

/** Whether a header `X-Service-Signature` matches one of the secrets; compares in constant time. */
export const isServiceSignature = async (
  header: string,
  body: string | Uint8Array,
  secrets: ReadonlyArray<string>
): Promise<boolean> => {
  const hex = /^sha256=((?:[0-9a-f]{2}){32})$/iu.exec(header)?.[1]
  if (hex === undefined) return false
  const mac = Uint8Array.from(hex.match(/../gu) ?? [], (digits) => Number.parseInt(digits, 16))
  return some(
    secrets,
    async (secret) => crypto.subtle.verify("HMAC", await wholeKey(secret, "verify"), mac, bytesOf(body))
  )
}

/**
 * Whether a header `webhook-signature` contains a signature of one of the secrets; compares in constant time. Does not
 * check the age of the timestamp.
 */
export const isStandardSignature = async (
  header: string,
  message: SignedMessage,
  secrets: ReadonlyArray<string>
): Promise<boolean> => {
  const signed = signedBytes(message)
  const entries = header.split(" ").filter((entry) => /^v1,[A-Za-z0-9+/]{43}=$/u.test(entry))
  const macs = entries.map((entry) => decoded(entry.slice("v1,".length)))
  return some(secrets, async (secret) => {
    const key = await decodedKey(secret, "verify")
    return some(macs, (mac) => crypto.subtle.verify("HMAC", key, mac, signed))
  })
}

const SECRET_PREFIX = "whsec_"

const macOf = (key: CryptoKey, bytes: Bytes): Promise<ArrayBuffer> => crypto.subtle.sign("HMAC", key, bytes)

const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

const serviceValue = (mac: ArrayBuffer): string => `sha256=${toHex(new Uint8Array(mac))}`

const standardValue = (macs: ReadonlyArray<ArrayBuffer>): string =>
  macs.map((mac) => `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`).join(" ")

type Bytes = Uint8Array<ArrayBuffer>

/** Web Crypto refuses memory that threads share, so bytes are copied. */
const bytesOf = (body: string | Uint8Array): Bytes =>
  typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body)

const signedBytes = ({ body, id, timestamp }: SignedMessage): Bytes => {
  const head = bytesOf(`${id}.${timestamp}.`)
  const tail = bytesOf(body)
  const signed = new Uint8Array(head.length + tail.length)
  signed.set(head)
  signed.set(tail, head.length)
  return signed
}

const decoded = (base64: string): Bytes => Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))

const importKey = (key: Bytes, use: "sign" | "verify"): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, [use])

const wholeKey = (secret: string, use: "sign" | "verify"): Promise<CryptoKey> => importKey(bytesOf(secret), use)

const decodedKey = (secret: string, use: "sign" | "verify"): Promise<CryptoKey> =>
  importKey(decoded(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret), use)

/** Tests every item, so that the duration does not reveal which one matched. */
const some = async <A>(items: ReadonlyArray<A>, test: (item: A) => Promise<boolean>): Promise<boolean> =>
  (await Promise.all(items.map(test))).includes(true)
