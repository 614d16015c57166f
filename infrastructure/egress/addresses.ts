import { isIPv4, isIPv6 } from "node:net"
import ipaddr from "ipaddr.js"

export type Address = ipaddr.IPv4 | ipaddr.IPv6
/** A block of addresses: its base and the length of its prefix. */
export type Block = readonly [base: Address, prefix: number]

/**
 * Reads an address in its plain spelling. An IPv4-mapped one (`::ffff:a.b.c.d`) comes out as the IPv4 address that it
 * stands for.
 *
 * Anything that a resolver or a URL parser would only have to interpret is no address here: octal, hexadecimal, short
 * or decimal forms, brackets, and zone ids, which name an interface of this machine.
 */
export const parseAddress = (text: string): Address | undefined => {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text)
  if (!isIPv6(text) || text.includes("%")) return undefined
  // ipaddr.js takes `::8.8.8.8` for `::ffff:8.8.8.8`; the URL parser's spelling has no dots that could be misread.
  return ipaddr.process(new URL(`http://[${text}]`).hostname.slice(1, -1))
}

/** One spelling for each address, so that two of them can be compared as text. Empty for no address. */
export const canonical = (text: string): string => parseAddress(text)?.toString() ?? ""

/** Reads `address/prefix`, or an address alone as the block of just that address. */
export const parseBlock = (text: string): Block | undefined => {
  const [, base = "", prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/u.exec(text) ?? []
  const address = parseAddress(base)
  // A mapped base would be compared with IPv4 addresses under an IPv6 prefix length: it is refused, not guessed.
  if (address === undefined || (base.includes(":") && address.kind() === "ipv4")) return undefined
  const bits = address.kind() === "ipv4" ? 32 : 128
  const length = prefix === undefined ? bits : Number(prefix)
  return length > bits ? undefined : [address, length]
}

export const isWithin = (address: Address, blocks: ReadonlyArray<Block>): boolean =>
  blocks.some(([base, prefix]) => base.kind() === address.kind() && address.match(base, prefix))

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

const blocks = (texts: ReadonlyArray<string>): ReadonlyArray<Block> => texts.map((text) => ipaddr.parseCIDR(text))

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
