import { Effect, Redacted } from "effect"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"
import { refuseSetting } from "../upstream/setting-error.ts"

export interface CertificateFiles {
  readonly certFile: string
  readonly keyFile: string
  readonly passphrase: Redacted.Redacted | undefined
}

/** Who this service is to a bank; PEM. */
export interface ClientCertificate {
  readonly cert: string
  /** Not encrypted. */
  readonly key: string
  /** When the certificate ends, in milliseconds since 1970. */
  readonly endsAt: number
}

const read = (setting: string, file: string) =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) => refuseSetting(setting, `${file} cannot be read`, cause)
  })

/**
 * Reads the certificate, its chain if the file has one, and its key, in PEM. Whether they belong together shows here
 * and not at the first slip. Fails with the setting that is to blame.
 */
export const readClientCertificate = Effect.fnUntraced(function* ({ certFile, keyFile, passphrase }: CertificateFiles) {
  const cert = yield* read("KBANK_CERT_FILE", certFile)
  const pem = yield* read("KBANK_KEY_FILE", keyFile)
  const certificate = yield* Effect.try({
    try: () => new X509Certificate(cert),
    catch: (cause) => refuseSetting("KBANK_CERT_FILE", `${certFile} holds no certificate in PEM`, cause)
  })
  const isEncrypted = /ENCRYPTED/u.test(pem)
  if (isEncrypted && passphrase === undefined) {
    return yield* refuseSetting("KBANK_KEY_PASSPHRASE", `is missing: the key in ${keyFile} is encrypted`)
  }
  const key = yield* Effect.try({
    try: () =>
      createPrivateKey({ key: pem, ...(passphrase === undefined ? {} : { passphrase: Redacted.value(passphrase) }) }),
    catch: () =>
      isEncrypted
        ? refuseSetting("KBANK_KEY_PASSPHRASE", `does not open the key in ${keyFile}`)
        : refuseSetting("KBANK_KEY_FILE", `${keyFile} holds no private key in PEM`)
  })
  if (!certificate.checkPrivateKey(key)) {
    return yield* refuseSetting("KBANK_KEY_FILE", `${keyFile} is not the key of the certificate in ${certFile}`)
  }
  const identity: ClientCertificate = {
    cert,
    // Opened once: not every runtime takes a passphrase with a connection.
    key: key.export({ type: "pkcs8", format: "pem" }).toString(),
    endsAt: Date.parse(certificate.validTo)
  }
  return identity
})
