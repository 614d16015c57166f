import { type Finding, warn } from "./finding.ts"
import { isWithin, parseAddress, parseRange } from "../ip-address.ts"

const loopback = ["127.0.0.0/8", "::1"].map(parseRange).filter((range) => range !== undefined)

/** Whether only this machine is behind a name or an address. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || isWithin(parseAddress(host.replace(/^\[(.*)\]$/u, "$1")), loopback)

export interface Way {
  readonly hosts: ReadonlyArray<string>
  readonly tls: boolean
  /** What to do for an encrypted one. */
  readonly encrypted: string
}

/** The way to the servers of a setting: to another machine it should be encrypted. */
export const judgeWay = (
  about: string,
  setting: string,
  { encrypted, hosts, tls }: Way
): ReadonlyArray<Finding> => {
  const open = tls ? undefined : hosts.find((host) => !isLoopback(host))
  if (open === undefined) return []
  return [
    warn(
      about,
      `${setting} leads to ${open} without TLS: whoever is on the way can read and change what passes`,
      `${encrypted}, or let nobody else into the network between them`
    )
  ]
}
