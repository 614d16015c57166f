import ipaddr from "ipaddr.js"
import { isWithin, parseAddress, type Range } from "../ip-address.ts"

/** One spelling for each address, so that two of them can be compared as text. Empty for no address. */
export const canonical = (text: string): string => parseAddress(text)?.toString() ?? ""

/**
 * Whether the address is one of the public internet: an IPv4 global unicast address, or an IPv6 address of 2000::/3,
 * and in no block of IANA's special-purpose registries. The table below decides; ipaddr.js, whose own table differs
 * from release to release, can only refuse more.
 */
export const isPublic = (text: string): boolean => {
  const address = parseAddress(text)
  if (address === undefined || address.range() !== "unicast" || isWithin(address, refused)) return false
  return address.kind() === "ipv4" || isWithin(address, globalUnicast)
}

const blocks = (texts: ReadonlyArray<string>): ReadonlyArray<Range> => texts.map((text) => ipaddr.parseCIDR(text))

/** All that IANA has handed out for IPv6 unicast; NAT64, IPv4-compatible, discard, unique-local … lie outside. */
const globalUnicast = blocks(["2000::/3"])

const refused = blocks([
  "0.0.0.0/8", // this network; connecting to 0.0.0.0 reaches this machine
  "10.0.0.0/8", // private
  "100.64.0.0/10", // shared behind carrier-grade NAT; some clouds keep their metadata here
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // no special-purpose block: the platform service of Azure, reachable only from its machines
  "169.254.0.0/16", // link-local, with the metadata services
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
  "2002::/16", // 6to4: an IPv4 address in disguise
  "2620:4f:8000::/48", // AS112
  "3fff::/20" // documentation
])
