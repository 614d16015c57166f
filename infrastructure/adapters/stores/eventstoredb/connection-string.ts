import { Result } from "effect"

export interface HostAddress {
  readonly address: string
  readonly port: number
}

export interface ConnectionSettings {
  readonly hosts: readonly [HostAddress, ...ReadonlyArray<HostAddress>]
  /** The first host is a name that resolves to the nodes of a cluster. */
  readonly discover: boolean
  readonly tls: boolean
  readonly credentials: { readonly username: string; readonly password: string } | undefined
  /** Options by their names in lower case. */
  readonly options: ReadonlyMap<string, string>
}

/**
 * Parses `esdb://user:password@host:2113,host2?tls=true`, also with the schemes `kurrentdb` and `kurrent` and with
 * `+discover`. The vendor's parser is not used, because its errors print the whole string with the password.
 *
 * The error message names options and never shows a value.
 */
export const parseConnectionString = (text: string): Result.Result<ConnectionSettings, string> => {
  const match = /^(?:esdb|kurrentdb|kurrent)(\+discover)?:\/\/(?:([^:@/?]+):([^@/?]*)@)?([^/?@]+)\/*(?:\?(.*))?$/u
    .exec(text.trim())
  if (match === null) return Result.fail("it must read esdb://[user:password@]host[:port][,host…][?option=value&…]")
  const [, discover, username, password, hostList = "", query] = match

  const [first, ...others] = hostList.split(",").map(hostOf)
  const hosts = [first, ...others].filter((host) => host !== undefined)
  if (first === undefined || hosts.length <= others.length) return Result.fail("a host must read name or name:port")
  const options = optionsOf(query ?? "")
  const unknown = [...options.keys()].find((name) => !KNOWN.has(name))
  if (unknown !== undefined) return Result.fail(`it has an unknown option ${unknown}`)
  if (options.get("tlsverifycert") === "false") {
    return Result.fail("tlsVerifyCert can't be switched off: name the authority's certificate with tlsCaFile")
  }
  if (options.has("usercertfile") !== options.has("userkeyfile")) {
    return Result.fail("userCertFile and userKeyFile must be set together")
  }
  const decoded = credentialsOf(username, password)
  if (Result.isFailure(decoded)) return Result.fail(decoded.failure)
  return Result.succeed({
    hosts: [first, ...hosts.slice(1)],
    discover: discover !== undefined,
    tls: options.get("tls") !== "false",
    credentials: decoded.success,
    options
  })
}

/** The address without credentials, for messages. */
export const describeConnection = ({ discover, hosts, tls }: ConnectionSettings): string => {
  const names = hosts.map(({ address, port }) => `${address}:${port}`).join(",")
  return `esdb${discover ? "+discover" : ""}://${names}${tls ? "" : "?tls=false"}`
}

/** The options that take effect, and those that are accepted and ignored. */
const KNOWN = new Set([
  "tls",
  "tlsverifycert",
  "tlscafile",
  "usercertfile",
  "userkeyfile",
  "connectionname",
  "keepaliveinterval",
  "keepalivetimeout",
  "gossiptimeout",
  "discoveryinterval",
  "maxdiscoverattempts",
  "nodepreference",
  "defaultdeadline",
  "throwonappendfailure"
])

const hostOf = (text: string): HostAddress | undefined => {
  const match = /^([^:\s]+|\[[^\]]+\])(?::(\d{1,5}))?$/u.exec(text.trim())
  return match?.[1] === undefined ? undefined : { address: match[1], port: Number(match[2] ?? 2113) }
}

const optionsOf = (query: string): ReadonlyMap<string, string> =>
  new Map(
    Array.from(new URLSearchParams(query), ([name, value]) => [name.toLowerCase().replaceAll(/[_-]/gu, ""), value])
  )

const credentialsOf = (username: string | undefined, password = "") =>
  Result.try({
    try: () =>
      username === undefined
        ? undefined
        : { username: decodeURIComponent(username), password: decodeURIComponent(password) },
    catch: () => "special characters in user and password must be written as %XX"
  })
