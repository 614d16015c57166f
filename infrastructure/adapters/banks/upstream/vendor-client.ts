import type { Effect, Redacted, Scope } from "effect"
import { makeUpstreamClient, type UpstreamClient, type UpstreamClientOptions } from "./https-client.ts"
import { sharedIpv4Lookup } from "./shared-lookup.ts"

interface VendorClientOptions extends Pick<UpstreamClientOptions, "authorities" | "baseUrl" | "title"> {
  readonly secrets: ReadonlyArray<Redacted.Redacted>
}

/**
 * Sends requests to a vendor, each one once, from an IPv4 address. A vendor may charge a question as soon as it arrives,
 * even when its connection breaks before the answer.
 */
export const makeVendorClient = (options: VendorClientOptions): Effect.Effect<UpstreamClient, never, Scope.Scope> =>
  makeUpstreamClient({ ...options, lookup: sharedIpv4Lookup, isRepeatable: false })
