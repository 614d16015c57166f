import { X509Certificate } from "node:crypto"
import { readFile } from "node:fs/promises"
import { getCACertificates } from "node:tls"
import { Effect, Result, Schema } from "effect"
import { type AllowList, canonical, makeAllowList } from "./addresses.ts"
import { hostOf } from "./target.ts"

/** The settings `EGRESS_*`. */
export interface EgressSettings {
  /** Allowed blocks of addresses that are not public (`EGRESS_ALLOW_CIDRS`). */
  readonly allowCidrs: ReadonlyArray<string>
  /** Fixed addresses of host names (`EGRESS_HOSTS`). They are checked like resolved addresses. */
  readonly hosts: Readonly<Record<string, string>>
  /** The DNS servers (`EGRESS_DNS_SERVERS`), as `address` or `address:port`; empty uses those of the system. */
  readonly dnsServers: ReadonlyArray<string>
  /** A PEM file of additional certificate authorities (`EGRESS_CA_FILE`). */
  readonly caFile?: string | undefined
  /** Sent when the request has no `User-Agent`. */
  readonly userAgent: string
}

/** A setting is invalid. The message is for the operator and names the setting. */
export class EgressSettingsError extends Schema.TaggedError<EgressSettingsError>()("EgressSettingsError", {
  setting: Schema.Literals(["EGRESS_ALLOW_CIDRS", "EGRESS_HOSTS", "EGRESS_DNS_SERVERS", "EGRESS_CA_FILE"]),
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export const readAllowList = (cidrs: ReadonlyArray<string>): Result.Result<AllowList, EgressSettingsError> =>
  Result.mapError(makeAllowList(cidrs), (entry) =>
    new EgressSettingsError({
      setting: "EGRESS_ALLOW_CIDRS",
      message: `EGRESS_ALLOW_CIDRS: "${entry}" is not a block of addresses such as 10.0.0.0/8 or fd00::/8`
    }))

/** The names are normalised like the host of a URL: lower case, Punycode, no trailing dot. */
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

/** An address, or an address and a port: `10.0.0.53`, `10.0.0.53:5353`, `fd00::53`, `[fd00::53]:5353`. */
export const readDnsServers = (
  servers: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, EgressSettingsError> => {
  const invalid = servers.find((server) => {
    const [, address = "", port = "53"] = /^(.*?)(?::(\d{1,5}))?$/u.exec(server) ?? []
    const isAddress = canonical(server) !== "" || canonical(address.replace(/^\[(.+)\]$/u, "$1")) !== ""
    return !isAddress || Number(port) < 1 || Number(port) > 65_535
  })
  return invalid === undefined ? Result.succeed(servers) : Result.fail(
    new EgressSettingsError({
      setting: "EGRESS_DNS_SERVERS",
      message: `EGRESS_DNS_SERVERS: "${invalid}" is not an IP address, or an IP address and a port`
    })
  )
}

/** Certificates in PEM: the authorities of the file and those of the runtime. */
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
