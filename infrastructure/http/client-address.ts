import { isWithin, parseAddress, parseRange, type Range } from "../ip-address.ts"

/** Some proxies write the port behind an address. */
const withoutPort = (hop: string): string => {
  const host = /^(\d+\.\d+\.\d+\.\d+):\d+$|^\[([^\]]+)\](?::\d+)?$/u.exec(hop)
  return host?.[1] ?? host?.[2] ?? hop
}

/** The canonical text of an address, IPv4 where it is IPv4 inside IPv6; the text itself when it is no address. */
export const canonicalAddress = (text: string): string => parseAddress(text.trim())?.toString() ?? text

/** Whether an address is a trusted proxy's; false for a text that is no address. */
export const isProxy = (address: string, proxies: ReadonlyArray<Range>): boolean =>
  isWithin(parseAddress(address), proxies)

/** Whether a caller's address may call under a whitelist. */
export const isWhitelisted = (address: string, whitelist: ReadonlyArray<string>): boolean =>
  whitelist.includes("*")
  || isWithin(parseAddress(address), whitelist.map(parseRange).filter((range) => range !== undefined))

/**
 * The caller's address. `X-Forwarded-For` is read from the right: the first address that is no trusted proxy is the
 * caller. The caller could have written every entry to the left of it.
 */
export const clientAddress = (
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: ReadonlyArray<Range>
): string => {
  let address = canonicalAddress(peer)
  for (const hop of (forwardedFor ?? "").split(",").reverse()) {
    if (hop.trim() === "" || !isProxy(address, trustedProxies)) break
    address = canonicalAddress(withoutPort(hop.trim()))
  }
  return address
}
