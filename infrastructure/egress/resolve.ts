import { lookup as dnsLookup } from "node:dns/promises"
import { Array as Arr, Data, Effect } from "effect"
import { EgressError } from "../../ports/egress.ts"
import { parseAddress } from "../ip-address.ts"
import { type AllowList, canonical } from "./addresses.ts"
import { hostOf } from "./target.ts"

/** The name has no address, or the resolver failed. */
export class LookupFailed extends Data.TaggedError("LookupFailed")<{ readonly cause: unknown }> {}

/** The addresses of a name, the preferred one first. */
export type Lookup = (name: string) => Effect.Effect<ReadonlyArray<string>, LookupFailed>

/** The addresses of a URL in canonical spelling, the preferred one first. */
export type Resolve = (url: URL) => Effect.Effect<Arr.NonEmptyReadonlyArray<string>, EgressError>

/**
 * Asks the resolver of the operating system, including the hosts file. An interruption does not cancel the lookup: it
 * occupies one of the runtime's few lookup threads until it ends.
 */
export const systemLookup: Lookup = (name) =>
  Effect.tryPromise({
    try: () => dnsLookup(name, { all: true, order: "verbatim" }),
    catch: (cause) => new LookupFailed({ cause })
  }).pipe(Effect.map((found) => found.map(({ address }) => address)))

/**
 * Resolves the host of a URL once and checks every address.
 *
 * One refused address refuses the URL: the owner of the name controls the order of the addresses. Names such as
 * `localhost` or `*.internal` have no rule of their own; their addresses decide. `hosts` maps names (lower case, no
 * trailing dot) to addresses and takes precedence over `lookup`. Fails with `unresolvable` or `not-public`.
 */
export const makeResolve = (options: {
  readonly allows: AllowList
  readonly hosts: ReadonlyMap<string, string>
  readonly lookup: Lookup
}): Resolve =>
  Effect.fnUntraced(function* (url: URL) {
    const host = hostOf(url)
    const answers = parseAddress(host) === undefined ? yield* addressesOf(host, options) : [host]
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
  { hosts, lookup }: { readonly hosts: ReadonlyMap<string, string>; readonly lookup: Lookup }
): Effect.Effect<ReadonlyArray<string>, EgressError> => {
  const fixed = hosts.get(host)
  if (fixed !== undefined) return Effect.succeed([fixed])
  // The host of `http://./` is empty, and some resolvers resolve the empty name to loopback.
  if (host === "") return Effect.fail(new EgressError({ reason: "unresolvable", detail: "the host is empty" }))
  return lookup(host).pipe(
    Effect.mapError(({ cause }) =>
      new EgressError({ reason: "unresolvable", detail: `${host} could not be resolved`, cause })
    )
  )
}
