import { Effect, Redacted } from "effect"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"
import { settingError } from "../upstream/gateway-settings.ts"

export interface CertificateFiles {
  readonly certFile: string
  readonly keyFile: string
  readonly passphrase: Redacted.Redacted | undefined
}

/** The client certificate in PEM. */
export interface ClientCertificate {
  readonly cert: string
  /** Not encrypted. */
  readonly key: string
  /** When the certificate expires, in milliseconds since 1970. */
  readonly endsAt: number
}

const read = (setting: string, file: string) =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (cause) => settingError(setting, `${file} cannot be read`, cause)
  })

/**
 * Reads the certificate, with its chain if the file has one, and its key. Checks that they belong together, so that a
 * mistake is reported at the start and not at the first slip. The failure names the setting.
 */
export const readClientCertificate = Effect.fnUntraced(function* ({ certFile, keyFile, passphrase }: CertificateFiles) {
  const cert = yield* read("KBANK_CERT_FILE", certFile)
  const pem = yield* read("KBANK_KEY_FILE", keyFile)
  const certificate = yield* Effect.try({
    try: () => new X509Certificate(cert),
    catch: (cause) => settingError("KBANK_CERT_FILE", `${certFile} holds no certificate in PEM`, cause)
  })
  const isEncrypted = /ENCRYPTED/u.test(pem)
  if (isEncrypted && passphrase === undefined) {
    return yield* settingError("KBANK_KEY_PASSPHRASE", `is missing: the key in ${keyFile} is encrypted`)
  }
  const key = yield* Effect.try({
    try: () =>
      createPrivateKey({ key: pem, ...(passphrase === undefined ? {} : { passphrase: Redacted.value(passphrase) }) }),
    catch: () =>
      isEncrypted
        ? settingError("KBANK_KEY_PASSPHRASE", `does not decrypt the key in ${keyFile}`)
        : settingError("KBANK_KEY_FILE", `${keyFile} holds no private key in PEM`)
  })
  if (!certificate.checkPrivateKey(key)) {
    return yield* settingError("KBANK_KEY_FILE", `${keyFile} is not the key of the certificate in ${certFile}`)
  }
  return {
    cert,
    // Decrypted once: not every runtime accepts a passphrase for a connection.
    key: key.export({ type: "pkcs8", format: "pem" }).toString(),
    endsAt: Date.parse(certificate.validTo)
  } satisfies ClientCertificate
})
