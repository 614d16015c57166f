import { X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"
import { getCACertificates } from "node:tls"
import { Effect, Result, Schema } from "effect"
import { canonical } from "./addresses.ts"
import { type AllowList, makeAllowList } from "./allow-list.ts"
import { hostOf } from "./target.ts"

/** What an operator can say about the way out. */
export interface EgressSettings {
  /** Non-public blocks that may be reached (`EGRESS_ALLOW_CIDRS`). */
  readonly allowCidrs: ReadonlyArray<string>
  /** Addresses of names that are not to be resolved (`EGRESS_HOSTS`). They are judged like any other. */
  readonly hosts: Readonly<Record<string, string>>
  /** A PEM file of authorities to trust beside those of the runtime (`EGRESS_CA_FILE`). */
  readonly caFile?: string | undefined
  /** Sent where the request names none. */
  readonly userAgent: string
}

/** A setting cannot be used; the message is for the operator and names the setting. */
export class EgressSettingsError extends Schema.TaggedError<EgressSettingsError>()("EgressSettingsError", {
  setting: Schema.Literals(["EGRESS_ALLOW_CIDRS", "EGRESS_HOSTS", "EGRESS_CA_FILE"]),
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export const readAllowList = (cidrs: ReadonlyArray<string>): Result.Result<AllowList, EgressSettingsError> =>
  Result.mapError(makeAllowList(cidrs), (entry) =>
    new EgressSettingsError({
      setting: "EGRESS_ALLOW_CIDRS",
      message: `EGRESS_ALLOW_CIDRS: "${entry}" is not a block of addresses such as 10.0.0.0/8 or fd00::/8`
    }))

/** Names come out as a URL spells them: in lower case, international ones in Punycode, without a final dot. */
export const readHosts = (
  hosts: Readonly<Record<string, string>>
): Result.Result<ReadonlyMap<string, string>, EgressSettingsError> => {
  const read = new Map<string, string>()
  for (const [entry, address] of Object.entries(hosts)) {
    const url = /^[^\s:/?#@[\]\\]+$/u.test(entry) ? URL.parse(`http://${entry}`) : null
    const name = url === null ? "" : hostOf(url)
    const to = canonical(address)
    if (name === "" || canonical(name) !== "" || to === "") {
      return Result.fail(
        new EgressSettingsError({
          setting: "EGRESS_HOSTS",
          message: `EGRESS_HOSTS: "${entry}=${address}" is not a host name with an IP address`
        })
      )
    }
    read.set(name, to)
  }
  return Result.succeed(read)
}

/** Certificates in PEM: the authorities of the file, and all that the runtime trusts anyway. */
export const readAuthorities = Effect.fnUntraced(function* (file: string) {
  const refuse = (message: string) => (cause?: unknown) =>
    new EgressSettingsError({
      setting: "EGRESS_CA_FILE",
      message: `EGRESS_CA_FILE: ${file} ${message}`,
      ...(cause === undefined ? {} : { cause })
    })
  const text = yield* Effect.tryPromise({ try: () => readFile(file, "utf8"), catch: refuse("cannot be read") })
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/gu) ?? []
  if (certificates.length === 0) return yield* refuse("holds no PEM certificate")()
  return yield* Effect.try({
    try: (): ReadonlyArray<string> => [
      ...getCACertificates("default"),
      ...certificates.map((certificate) => new X509Certificate(certificate).toString())
    ],
    catch: refuse("holds a certificate that cannot be read")
  })
})
