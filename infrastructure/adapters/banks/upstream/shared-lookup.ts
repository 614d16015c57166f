import dns from "node:dns"
import type { LookupFunction } from "node:net"

type Callback = Parameters<LookupFunction>[2]

/**
 * Resolves names as the operating system does. Requests that wait for the same name share one lookup.
 *
 * The runtime resolves two to four names at a time for the whole process, and cannot cancel a lookup. Without sharing,
 * each request to a bank whose name does not resolve would hold up the lookups of other banks and of the stores.
 */
export const makeSharedLookup = (lookup: LookupFunction = dns.lookup): LookupFunction => {
  const waiting = new Map<string, Array<Callback>>()
  return (hostname, options, callback) => {
    const key = JSON.stringify([hostname, options])
    const others = waiting.get(key)
    if (others !== undefined) {
      others.push(callback)
      return
    }
    const callbacks = [callback]
    waiting.set(key, callbacks)
    lookup(hostname, options, (...answer) => {
      waiting.delete(key)
      for (const each of callbacks) each(...answer)
    })
  }
}

/** All banks share it: gateways of one bank may have the same host. */
export const sharedLookup = makeSharedLookup()

/**
 * Resolves a name to IPv4 addresses, and to others only where the name or this machine has none. Vendors' lists of
 * allowed addresses hold IPv4 addresses only: a request over IPv6 would be refused.
 */
export const makeIpv4Lookup = (lookup: LookupFunction): LookupFunction => (hostname, options, callback) => {
  lookup(hostname, { ...options, family: 4, hints: dns.ADDRCONFIG }, (error, ...answer) => {
    // A resolver that fails for the moment says nothing about the addresses of the name.
    if (error === null || error.code === "EAI_AGAIN") callback(error, ...answer)
    else lookup(hostname, options, callback)
  })
}

export const sharedIpv4Lookup = makeIpv4Lookup(sharedLookup)
