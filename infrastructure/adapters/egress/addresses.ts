import { Result } from "effect"
import ipaddr from "ipaddr.js"
import { isMapped, isWithin, parseAddress, parseRange, type Range } from "../../platform/ip-address.ts"

/** The canonical spelling of an address, for comparisons; empty for any other text. */
export const canonical = (text: string): string => parseAddress(text)?.toString() ?? ""

/**
 * Whether an address belongs to the public internet: a global unicast IPv4 address or an IPv6 address in 2000::/3, and
 * in no block of IANA's special-purpose registries. The table below decides. The table of ipaddr.js changes between
 * releases; it can only refuse more.
 */
export const isPublic = (text: string): boolean => {
  const address = parseAddress(text)
  if (address === undefined || address.range() !== "unicast" || isWithin(address, refused)) return false
  return address.kind() === "ipv4" || isWithin(address, globalUnicast)
}

const blocks = (texts: ReadonlyArray<string>): ReadonlyArray<Range> => texts.map((text) => ipaddr.parseCIDR(text))

/** The IPv6 unicast block that IANA allocates from. NAT64, discard and unique-local blocks lie outside. */
const globalUnicast = blocks(["2000::/3"])

const refused = blocks([
  "0.0.0.0/8", // this network; a connection to 0.0.0.0 reaches this machine
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT; some clouds have their metadata service here
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // Azure's platform service, reachable only from its machines; not in a special-purpose registry
  "169.254.0.0/16", // link-local, with metadata services
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarking
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
  "2001::/23", // protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, drone ids
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4: contains an IPv4 address
  "2620:4f:8000::/48", // AS112
  "3fff::/20" // documentation
])

/** Whether a connection to an address is allowed. */
export type AllowList = (address: string) => boolean

/**
 * Allows public addresses and the given blocks (`EGRESS_ALLOW_CIDRS`: tests, private networks). A block is
 * `address/prefix` or a single address; bits after the prefix are ignored.
 *
 * Fails with the first invalid entry. IPv4-mapped blocks are invalid: mapped addresses are checked as IPv4.
 */
export const makeAllowList = (cidrs: ReadonlyArray<string>): Result.Result<AllowList, string> => {
  const allowed: Array<Range> = []
  for (const cidr of cidrs) {
    const block = parseRange(cidr)
    if (block === undefined || isMapped(cidr, block[0])) return Result.fail(cidr)
    allowed.push(block)
  }
  return Result.succeed((text) => {
    const address = parseAddress(text)
    return address !== undefined && (isPublic(text) || isWithin(address, allowed))
  })
}
