import { Array as Arr, Effect } from "effect"
import { EgressError } from "../../../ports/egress.ts"
import { parseAddress } from "../../platform/ip-address.ts"
import { type AllowList, canonical } from "./addresses.ts"
import type { BranchLookup } from "./branch-lookups.ts"
import { hostOf } from "./target.ts"

/** The addresses of a URL in canonical spelling, the preferred one first. */
export type Resolve = (
  url: URL,
  branchId: string
) => Effect.Effect<Arr.NonEmptyReadonlyArray<string>, EgressError>

/**
 * Resolves the host of a URL once and checks every address.
 *
 * One refused address refuses the URL: the owner of the name controls the order of the addresses. Names such as
 * `localhost` or `*.internal` have no rule of their own; their addresses decide. `hosts` maps names (lower case, no
 * trailing dot) to addresses and takes precedence over `lookup`. Fails with `unresolvable`,
 * `busy` or `not-public`.
 */
export const makeResolve = (options: {
  readonly allows: AllowList
  readonly hosts: ReadonlyMap<string, string>
  readonly lookup: BranchLookup
}): Resolve =>
  Effect.fnUntraced(function* (url: URL, branchId: string) {
    const host = hostOf(url)
    const answers = parseAddress(host) === undefined ? yield* addressesOf(host, branchId, options) : [host]
    const refused = answers.find((answer) => !options.allows(answer))
    if (refused !== undefined) {
      const found = refused === host ? host : `${host} resolves to ${refused}, which`
      return yield* new EgressError({ reason: "not-public", detail: `${found} is not a public address` })
    }
    const addresses = Arr.dedupe(answers.map(canonical))
    if (!Arr.isReadonlyArrayNonEmpty(addresses)) {
      return yield* new EgressError({ reason: "unresolvable", detail: `${host} has no address` })
    }
    return addresses
  })

const addressesOf = (
  host: string,
  branchId: string,
  { hosts, lookup }: { readonly hosts: ReadonlyMap<string, string>; readonly lookup: BranchLookup }
): Effect.Effect<ReadonlyArray<string>, EgressError> => {
  const fixed = hosts.get(host)
  if (fixed !== undefined) return Effect.succeed([fixed])
  // The host of `http://./` is empty, and some resolvers resolve the empty name to loopback.
  if (host === "") return Effect.fail(new EgressError({ reason: "unresolvable", detail: "the host is empty" }))
  return Effect.catchTag(
    lookup(host, branchId),
    "LookupFailed",
    ({ cause }) =>
      Effect.fail(new EgressError({ reason: "unresolvable", detail: `${host} could not be resolved`, cause }))
  )
}
