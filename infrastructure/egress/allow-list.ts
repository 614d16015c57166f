import { Result } from "effect"
import { isMapped, isWithin, parseAddress, parseRange, type Range } from "../ip-address.ts"
import { isPublic } from "./addresses.ts"

/** Says of an address, in its plain spelling, whether it may be reached. */
export type AllowList = (address: string) => boolean

/**
 * Public addresses, and those of the given blocks (`EGRESS_ALLOW_CIDRS`: tests, private networks). A block is
 * `address/prefix` or a single address; bits behind the prefix are ignored.
 *
 * Fails with the first entry that is no block. An IPv4-mapped block is none: mapped addresses are judged as IPv4.
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
