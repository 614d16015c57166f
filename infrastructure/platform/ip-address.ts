import ipaddr from "ipaddr.js"
import { isIPv4, isIPv6 } from "node:net"

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/** A block of addresses: its base and the length of its prefix in bits. */
export type Range = readonly [base: Address, prefix: number]

/**
 * Reads an address in its plain spelling. An IPv4-mapped address (`::ffff:a.b.c.d`) becomes the IPv4 address.
 *
 * Returns undefined for octal, hexadecimal, short and decimal forms, brackets and zone ids: parsers disagree about their
 * meaning.
 */
export const parseAddress = (text: string): Address | undefined => {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text)
  if (!isIPv6(text) || text.includes("%")) return undefined
  // ipaddr.js reads `::8.8.8.8` as `::ffff:8.8.8.8`; the URL parser's spelling has no dots.
  return ipaddr.process(new URL(`http://[${text}]`).hostname.slice(1, -1))
}

/**
 * Reads `10.0.0.0/8`, or a single address as the block of that address; undefined for anything else. A block of
 * IPv4-mapped addresses becomes the block of IPv4 addresses.
 */
export const parseRange = (text: string): Range | undefined => {
  const [, base = "", prefix] = /^([\d.:a-f\s]{1,100})(?:\/(\d{1,3}))?$/iu.exec(text.trim()) ?? []
  const address = parseAddress(base.trim())
  if (address === undefined) return undefined
  const bits = address.kind() === "ipv4" ? 32 : 128
  if (prefix === undefined) return [address, bits]
  const length = Number(prefix) - (isMapped(base, address) ? 96 : 0)
  return length >= 0 && length <= bits ? [address, length] : undefined
}

/**
 * A network in its one spelling, such as `203.0.113.0/24` or `2001:db8:0:0:0:0:0:0/32`; undefined when `parseRange` cannot
 * read it. The domain compares networks in this spelling.
 */
export const canonicalNetwork = (text: string): string | undefined => {
  const range = parseRange(text)
  return range === undefined ? undefined : `${range[0].toNormalizedString()}/${range[1]}`
}

/** Whether the text spells an IPv4 address as an IPv6 address. */
export const isMapped = (text: string, address: Address): boolean => text.includes(":") && address.kind() === "ipv4"

/** IPv6 addresses of one /64 network usually belong to one machine: the network stands for them. Other text is itself. */
export const networkOf = (address: string): string => {
  const parsed = parseAddress(address)
  return parsed instanceof ipaddr.IPv6
    ? `${parsed.parts.slice(0, 4).map((part) => part.toString(16)).join(":")}::/64`
    : address
}

export const isWithin = (address: Address | undefined, ranges: ReadonlyArray<Range>): boolean =>
  address !== undefined
  && ranges.some(([base, prefix]) => base.kind() === address.kind() && address.match(base, prefix))

const loopback = ["127.0.0.0/8", "::1"].map(parseRange).filter((range) => range !== undefined)

/** Whether a name or an address reaches only this machine. */
export const isLoopbackHost = (host: string): boolean =>
  host === "localhost" || isWithin(parseAddress(host.replace(/^\[(.*)\]$/u, "$1")), loopback)
