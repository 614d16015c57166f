import { promises as dns } from "node:dns"
import { networkInterfaces } from "node:os"
import { Data, Effect } from "effect"
import { type HostsFile, makeHostsFile, systemHostsFile } from "./hosts-file.ts"

/** The name has no address, or the resolver failed. */
export class LookupFailed extends Data.TaggedError("LookupFailed")<{ readonly cause: unknown }> {}

/** The addresses of a name, the preferred one first. */
export type Lookup = (name: string) => Effect.Effect<ReadonlyArray<string>, LookupFailed>

export interface DnsOptions {
  /** DNS servers as `address` or `address:port`; empty uses those of the operating system. */
  readonly servers: ReadonlyArray<string>
  readonly hostsFile?: HostsFile
  /** The limit for all tries of a lookup together, in milliseconds; 5 seconds. */
  readonly limitMillis?: number
}

/**
 * Looks a name up in the hosts file and then in DNS. Does not use the runtime's thread pool, so names that never
 * resolve do not block other lookups or files. An interruption cancels the queries and closes their sockets.
 *
 * A name is always absolute: the search domains of the operating system do not apply. `localhost` and the names below
 * it are never asked from DNS (RFC 6761).
 */
export const dnsLookup = (
  { hostsFile = makeHostsFile(systemHostsFile), limitMillis = LOOKUP_MILLIS, servers }: DnsOptions
): Lookup =>
  Effect.fnUntraced(function* (name) {
    const listed = yield* hostsFile(name)
    if (listed.length > 0) return listed
    if (/^(?:.+\.)?localhost$/u.test(name)) return ["127.0.0.1", "::1"]
    return yield* query(name, servers, limitMillis)
  })

/** The first try. Others follow until the limit; the runtime may then wait longer. */
const TRY_MILLIS = 2_000
/** The limit for all tries together: two tries. */
export const LOOKUP_MILLIS = 5_000

const query = (name: string, servers: ReadonlyArray<string>, limitMillis: number) =>
  Effect.suspend(() => {
    // One resolver for each lookup, because `cancel` ends all queries of a resolver.
    const resolver = new dns.Resolver({ timeout: TRY_MILLIS, tries: Math.max(1, Math.floor(limitMillis / TRY_MILLIS)) })
    if (servers.length > 0) resolver.setServers(servers)
    // The dot makes the name absolute in every runtime.
    const absolute = `${name}.`
    return Effect.promise(() => Promise.allSettled([resolver.resolve4(absolute), resolver.resolve6(absolute)])).pipe(
      Effect.onInterrupt(() => Effect.sync(() => resolver.cancel()))
    )
  }).pipe(
    Effect.timeoutOrElse({
      duration: limitMillis,
      orElse: () => new LookupFailed({ cause: new Error(`no answer within ${limitMillis} ms`) })
    }),
    Effect.flatMap(([v4, v6]) => {
      if (v4.status === "rejected" && v6.status === "rejected") return new LookupFailed({ cause: v4.reason })
      const found4 = v4.status === "fulfilled" ? v4.value : []
      const found6 = v6.status === "fulfilled" ? v6.value : []
      const isIpv6First = found4.length > 0 && found6.length > 0 && hasOnlyIpv6()
      return Effect.succeed(isIpv6First ? [...found6, ...found4] : [...found4, ...found6])
    })
  )

/** Whether IPv6 is this machine's only way to other machines. A connection is tried at the first address only. */
const hasOnlyIpv6 = (): boolean => {
  const families = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.filter(({ internal }) => !internal).map(({ family }) => family)
  )
  return families.includes("IPv6") && !families.includes("IPv4")
}
