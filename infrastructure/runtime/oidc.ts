import { Context, Effect, Layer } from "effect"
import type { OidcConnection } from "../web/console/oidc/sign-in.ts"
import { Egress } from "../../ports/egress.ts"
import { readOidcClient } from "../platform/settings/oidc-client.ts"
import type { Settings } from "../platform/settings/settings.ts"
import { layerEgressOf, SettingRefused } from "./external-layers.ts"

/** The operator chose the provider, which may be on the operator's own network. */
const PRIVATE_NETWORKS = [
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "::1/128",
  "fc00::/7"
]

/** The OpenID Connect provider of the settings `OIDC_*`; undefined without them. */
export const oidcConnection = Effect.fnUntraced(function* (settings: Settings) {
  const client = yield* Effect.mapError(
    Effect.fromResult(readOidcClient(settings)),
    (message) => new SettingRefused({ message })
  )
  if (client === undefined) return undefined
  const egressAllowCidrs = [...PRIVATE_NETWORKS, ...settings.egressAllowCidrs]
  const egress = Context.get(yield* Layer.build(layerEgressOf({ ...settings, egressAllowCidrs })), Egress)
  const runPromise = Effect.runPromiseWith(yield* Effect.context<never>())
  return {
    client,
    send: (request, options) => runPromise(egress.request(request), options)
  } satisfies OidcConnection
})
