import { createPrivateKey, X509Certificate } from "node:crypto"
import { isIPv4 } from "node:net"

/** Who a server is, in PEM. */
export interface Identity {
  /** The authority that signed it, for those who are to trust it. Its key is thrown away. */
  readonly authority: string
  readonly certificate: string
  readonly key: string
}

const DAY_MILLIS = 24 * 60 * 60 * 1_000
const VALID_DAYS = 30

/** Makes an authority, and with it a certificate for a server of these names and IPv4 addresses, for 30 days. */
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

/** Whether its parts belong together and are valid at `now` and for a day more. */
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

/** The identity as one text, and back. */
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
  /** Of the server; none for an authority. */
  readonly names: ReadonlyArray<string>
  readonly issuer: string
  readonly signingKey: CryptoKey
  readonly now: number
}

/** Of this command alone: the packages are loaded when it is used, and the service never has them in memory. */
const loadTools = async () => {
  const asn1 = await import("asn1js")
  const pki = await import("pkijs")

  const common = (name: string) =>
    new pki.AttributeTypeAndValue({ type: COMMON_NAME, value: new asn1.Utf8String({ value: name }) })

  const extension = (extnID: string, critical: boolean, value: { toSchema: () => { toBER: () => ArrayBuffer } }) =>
    new pki.Extension({ extnID, critical, extnValue: value.toSchema().toBER() })

  const alternative = (name: string) =>
    isIPv4(name)
      ? new pki.GeneralName({ type: IP_ADDRESS, value: new asn1.OctetString({ valueHex: octets(name) }) })
      : new pki.GeneralName({ type: DNS_NAME, value: name })

  const issue = async ({ issuer, key, names, now, signingKey, subject }: Issue): Promise<ArrayBuffer> => {
    const certificate = new pki.Certificate()
    certificate.version = X509_V3
    certificate.serialNumber = new asn1.Integer({ valueHex: serialNumber() })
    certificate.subject.typesAndValues.push(common(subject))
    certificate.issuer.typesAndValues.push(common(issuer))
    // Clocks that are behind believe it too.
    certificate.notBefore.value = new Date(now - DAY_MILLIS)
    certificate.notAfter.value = new Date(now + VALID_DAYS * DAY_MILLIS)
    certificate.extensions = [
      extension(BASIC_CONSTRAINTS, true, new pki.BasicConstraints({ cA: names.length === 0 })),
      ...names.length === 0
        ? []
        : [extension(SUBJECT_ALT_NAME, false, new pki.GeneralNames({ names: names.map(alternative) }))]
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

/** Positive, as the first bit says, and without a zero byte in front. */
const serialNumber = (): ArrayBuffer =>
  crypto.getRandomValues(new Uint8Array(16)).map((byte, index) => index === 0 ? byte & 0x3f | 0x40 : byte).buffer

const pem = (label: string, der: ArrayBuffer): string => {
  const lines = Buffer.from(der).toString("base64").match(/.{1,64}/gu) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n")
}
