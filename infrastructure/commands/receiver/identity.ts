import { Clock, Data, Effect } from "effect"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { lstat, mkdir, readFile } from "node:fs/promises"
import { isIPv4 } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join, resolve } from "node:path"
import { writeFileAtomic } from "../../platform/atomic-file.ts"

/** The folder cannot be used; `message` says why. */
export class IdentityError extends Data.TaggedError("IdentityError")<{ readonly message: string }> {}

/**
 * The names and the address of the test servers `sliptrail receiver` and `sliptrail vendor-mock`. They share one
 * identity, because the service trusts one file of authorities. The domain `.test` never exists on the internet.
 */
export const testServer = { name: "receiver.test", address: "127.0.0.1" } as const

/** The default folder: each user of the machine has one. */
export const defaultFolder = (): string => join(tmpdir(), `sliptrail-receiver-${userInfo().uid}`)

/**
 * The identity in the folder, or a new one that is stored there. It is reused, so that a service that trusts it does not
 * have to restart with the receiver. `authorityFile` is the certificate that the service must trust.
 */
export const identityIn = Effect.fnUntraced(function* (folder: string) {
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.tryPromise({
    try: async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await requirePrivateFolder(folder)
      const identity = await loadIdentity(folder, now)
        ?? await storeIdentity(folder, await makeIdentity(namesOfServer, now))
      const authorityFile = resolve(folder, "ca.pem")
      writeFileAtomic(authorityFile, identity.authority, FILE_MODE)
      return { identity, authorityFile }
    },
    catch: (cause) => new IdentityError({ message: cause instanceof Error ? cause.message : String(cause) })
  })
})

const namesOfServer = [testServer.name, "localhost", testServer.address]
const IDENTITY_FILE = "identity.pem"
const FILE_MODE = 0o600

/** Refuses a folder that other users can write: they could replace the authority. */
const requirePrivateFolder = async (folder: string): Promise<void> => {
  const stat = await lstat(folder)
  const { uid } = userInfo()
  if (!stat.isDirectory()) throw new Error("it is not a folder")
  if (uid !== -1 && (stat.uid !== uid || (stat.mode & 0o022) !== 0)) {
    throw new Error("other users can write there: choose a folder that only you can write")
  }
}

const loadIdentity = async (folder: string, now: number): Promise<Identity | undefined> => {
  const text = await readFile(join(folder, IDENTITY_FILE), "utf8").catch(() => "")
  const identity = fromText(text)
  return identity !== undefined && isUsable(identity, now) ? identity : undefined
}

const storeIdentity = async (folder: string, identity: Identity): Promise<Identity> => {
  writeFileAtomic(join(folder, IDENTITY_FILE), toText(identity), FILE_MODE)
  return identity
}

/** The certificate and key of a server, in PEM. */
export interface Identity {
  /** The certificate of the authority that signed it. The key of the authority is not stored. */
  readonly authority: string
  readonly certificate: string
  readonly key: string
}

const DAY_MILLIS = 24 * 60 * 60 * 1_000
const VALID_DAYS = 30

/** Creates an authority, and a certificate that it signs for these names and IPv4 addresses. Valid for 30 days. */
export const makeIdentity = async (names: ReadonlyArray<string>, now: number): Promise<Identity> => {
  const { issue, newKeys } = await loadTools()
  const authorityKeys = await newKeys()
  const keys = await newKeys()
  const signer = { issuer: "SlipTrail receiver authority", signingKey: authorityKeys.privateKey, now }
  const authority = await issue({ ...signer, subject: signer.issuer, key: authorityKeys.publicKey, names: [] })
  const certificate = await issue({ ...signer, subject: names[0] ?? "", key: keys.publicKey, names })
  const key = pem("PRIVATE KEY", await crypto.subtle.exportKey("pkcs8", keys.privateKey))
  return { authority: pem("CERTIFICATE", authority), certificate: pem("CERTIFICATE", certificate), key }
}

/** Whether its parts belong together and are valid for one more day. */
export const isUsable = ({ authority, certificate, key }: Identity, now: number): boolean => {
  try {
    const issuer = new X509Certificate(authority)
    const issued = new X509Certificate(certificate)
    return issued.verify(issuer.publicKey) && issued.checkPrivateKey(createPrivateKey(key))
      && Date.parse(issued.validFrom) <= now && now + DAY_MILLIS < Date.parse(issued.validTo)
  } catch {
    return false
  }
}

/** Converts the identity to one text, and back. */
export const toText = ({ authority, certificate, key }: Identity): string => key + certificate + authority

export const fromText = (text: string): Identity | undefined => {
  const [key, certificate, authority] = text.match(/-----BEGIN [A-Z ]+-----[^-]+-----END [A-Z ]+-----\n/gu) ?? []
  return key === undefined || certificate === undefined || authority === undefined
    ? undefined
    : { key, certificate, authority }
}

interface Issue {
  readonly subject: string
  readonly key: CryptoKey
  /** Names of the server; empty for an authority. */
  readonly names: ReadonlyArray<string>
  readonly issuer: string
  readonly signingKey: CryptoKey
  readonly now: number
}

/** Loads the packages only when this command needs them: the service never does. */
const loadTools = async () => {
  const asn1 = await import("asn1js")
  const pki = await import("pkijs")

  const commonName = (name: string) =>
    new pki.AttributeTypeAndValue({ type: COMMON_NAME, value: new asn1.Utf8String({ value: name }) })

  const extension = (extnID: string, critical: boolean, value: { toSchema: () => { toBER: () => ArrayBuffer } }) =>
    new pki.Extension({ extnID, critical, extnValue: value.toSchema().toBER() })

  const alternativeName = (name: string) =>
    isIPv4(name)
      ? new pki.GeneralName({ type: IP_ADDRESS, value: new asn1.OctetString({ valueHex: octets(name) }) })
      : new pki.GeneralName({ type: DNS_NAME, value: name })

  const issue = async ({ issuer, key, names, now, signingKey, subject }: Issue): Promise<ArrayBuffer> => {
    const certificate = new pki.Certificate()
    certificate.version = X509_V3
    certificate.serialNumber = new asn1.Integer({ valueHex: serialNumber() })
    certificate.subject.typesAndValues.push(commonName(subject))
    certificate.issuer.typesAndValues.push(commonName(issuer))
    // Also valid for a clock that is behind.
    certificate.notBefore.value = new Date(now - DAY_MILLIS)
    certificate.notAfter.value = new Date(now + VALID_DAYS * DAY_MILLIS)
    certificate.extensions = [
      extension(BASIC_CONSTRAINTS, true, new pki.BasicConstraints({ cA: names.length === 0 })),
      ...names.length === 0
        ? []
        : [extension(SUBJECT_ALT_NAME, false, new pki.GeneralNames({ names: names.map(alternativeName) }))]
    ]
    await certificate.subjectPublicKeyInfo.importKey(key)
    await certificate.sign(signingKey, "SHA-256")
    return certificate.toSchema(true).toBER()
  }

  const newKeys = () => crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"])

  return { issue, newKeys }
}

const X509_V3 = 2
const COMMON_NAME = "2.5.4.3"
const SUBJECT_ALT_NAME = "2.5.29.17"
const BASIC_CONSTRAINTS = "2.5.29.19"
const DNS_NAME = 2
const IP_ADDRESS = 7

const octets = (address: string): ArrayBuffer => Uint8Array.from(address.split("."), Number).buffer

/** The first bit makes it positive, the second bit excludes a leading zero byte. */
const serialNumber = (): ArrayBuffer =>
  crypto.getRandomValues(new Uint8Array(16)).map((byte, index) => index === 0 ? byte & 0x3f | 0x40 : byte).buffer

const pem = (label: string, der: ArrayBuffer): string => {
  const lines = Buffer.from(der).toString("base64").match(/.{1,64}/gu) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n")
}
