import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer, Redacted } from "effect"
import { HttpRouter } from "effect/http"
import { SlipVerifier } from "../../application/commands/verify-slip.ts"
import { layerAdmin } from "../http/admin/routes.ts"
import { TrustedProxies } from "../http/authenticate.ts"
import { parseRange } from "../http/client-address.ts"
import { layerFallback } from "../http/endpoint.ts"
import { layerHealth } from "../http/health.ts"
import { makeServer } from "../http/make-server.ts"
import { layerV2 } from "../http/v2/routes.ts"
import type { Settings } from "../settings.ts"
import { layerEngines } from "./engines.ts"
import { layerOutside, SettingRefused } from "./outside.ts"

/** Requests in flight get this long to end once the service is told to stop (contract: operations, "SIGTERM"). */
const DRAIN = "8 seconds"

/** The proxies of `TRUSTED_PROXIES`. */
export const trustedProxies = ({ trustedProxies: entries }: Settings) =>
  Layer.effect(
    TrustedProxies,
    Effect.forEach(entries, (entry) => {
      const range = parseRange(entry)
      return range === undefined
        ? Effect.fail(new SettingRefused({ message: `TRUSTED_PROXIES: "${entry}" is no address or CIDR range` }))
        : Effect.succeed(range)
    })
  )

/** Refuses what this version cannot do, rather than do something else. */
export const supported = (settings: Settings): Effect.Effect<void, SettingRefused> => {
  const { adminToken, eventStoreUrl, redisUrl, roles } = settings
  const refuse = (message: string) => Effect.fail(new SettingRefused({ message }))
  if (eventStoreUrl !== undefined) return refuse("EVENTSTORE_URL: EventStoreDB is not supported yet; leave it away")
  if (redisUrl !== undefined) return refuse("REDIS_URL: Redis is not supported yet; leave it away")
  if (adminToken !== undefined && !/^[\x21-\x7e]+$/u.test(Redacted.value(adminToken))) {
    return refuse("ADMIN_TOKEN: only printable ASCII without spaces can be sent; make one with: openssl rand -hex 32")
  }
  const unknown = roles.find((role) => !["http", "worker", "projector"].includes(role))
  if (unknown !== undefined) return refuse(`ROLES: "${unknown}" is none of http, worker, projector`)
  if (!roles.includes("http") || !roles.includes("projector")) {
    return refuse("ROLES: the embedded stores belong to one process, which needs at least http,projector")
  }
  return Effect.void
}

/** The HTTP service over the engines. The server is in the layer's output, so that its address can be told. */
export const layerHttp = (settings: Settings) =>
  HttpRouter.serve(
    Layer.mergeAll(layerV2, layerHealth, layerAdmin(settings.adminToken)).pipe(Layer.provideMerge(layerFallback)),
    { disableLogger: true, disableListenLog: true }
  ).pipe(
    Layer.provide(trustedProxies(settings)),
    Layer.provideMerge(
      NodeHttpServer.layer(makeServer, {
        host: settings.host,
        port: settings.port,
        gracefulShutdownTimeout: DRAIN
      })
    )
  )

/** Everything that one process of SlipTrail is. */
export const layerService = (settings: Settings) =>
  layerHttp(settings).pipe(
    Layer.provideMerge(SlipVerifier.layer),
    Layer.provideMerge(layerOutside(settings)),
    Layer.provideMerge(layerEngines(settings)),
    Layer.provide(Layer.effectDiscard(supported(settings)))
  )
