import ipaddr from "ipaddr.js"

/** An address, or a range of addresses in CIDR notation, in comparable form. */
export type Range = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** Reads an address; one that is IPv4 inside IPv6 comes out as IPv4. Undefined when it is none. */
const parseAddress = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined => {
  const bare = text.trim()
  // Short forms such as "10.1" mean different hosts to different readers: four parts or nothing.
  if (
    !ipaddr.isValid(bare) || bare.includes("%") || (!bare.includes(":") && !ipaddr.IPv4.isValidFourPartDecimal(bare))
  ) {
    return undefined
  }
  return ipaddr.process(bare)
}

/** Some proxies write the port behind an address. */
const withoutPort = (hop: string): string => {
  const host = /^(\d+\.\d+\.\d+\.\d+):\d+$|^\[([^\]]+)\](?::\d+)?$/u.exec(hop)
  return host?.[1] ?? host?.[2] ?? hop
}

/** Reads `10.0.0.0/8`, `::1`, `203.0.113.7`; undefined when it is none of these. */
export const parseRange = (text: string): Range | undefined => {
  const [host = "", bits, ...rest] = text.trim().split("/")
  const address = parseAddress(host)
  if (address === undefined || rest.length > 0) return undefined
  const most = address.kind() === "ipv4" ? 32 : 128
  if (bits === undefined) return [address, most]
  const mapped = host.includes(":") && address.kind() === "ipv4"
  const width = /^\d{1,3}$/u.test(bits) ? Number(bits) - (mapped ? 96 : 0) : -1
  return width >= 0 && width <= most ? [address, width] : undefined
}

/** Whether an address lies in one of the ranges. What is no address lies in none. */
export const isWithin = (address: string, ranges: ReadonlyArray<Range>): boolean => {
  const parsed = parseAddress(address)
  if (parsed === undefined) return false
  return ranges.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match([network, bits]))
}

/** The canonical text of an address, IPv4 where it is IPv4 inside IPv6; the text itself when it is no address. */
export const canonicalAddress = (text: string): string => parseAddress(text)?.toString() ?? text

/** An entry of a branch's whitelist: `*`, an address or a range (docs/spec/http.md, "Authentication"). */
export const isWhitelistEntry = (entry: string): boolean => entry === "*" || parseRange(entry) !== undefined

/** Whether a caller's address may call under a whitelist. */
export const isWhitelisted = (address: string, whitelist: ReadonlyArray<string>): boolean =>
  whitelist.includes("*")
  || isWithin(address, whitelist.map(parseRange).filter((range) => range !== undefined))

/**
 * Who calls. `X-Forwarded-For` is believed only as far as trusted proxies wrote it: read from the right, the first
 * address that is no trusted proxy is the caller. Everything left of it the caller could have written itself.
 */
export const clientAddress = (
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: ReadonlyArray<Range>
): string => {
  let address = canonicalAddress(peer)
  for (const hop of (forwardedFor ?? "").split(",").reverse()) {
    if (hop.trim() === "" || !isWithin(address, trustedProxies)) break
    address = canonicalAddress(withoutPort(hop.trim()))
  }
  return address
}
