import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Redacted } from "effect"
import { HttpRouter } from "effect/http"
import { SlipVerifier } from "../../application/verification/verify-slip.ts"
import { projections } from "../../projections/models/all.ts"
import { layerAdmin } from "../http/admin/routes.ts"
import { TrustedProxies } from "../http/authenticate.ts"
import { consoleTerritory, layerConsole } from "../console/routes.ts"
import { layerDocs } from "../http/docs/routes.ts"
import { layerFallback, territory } from "../http/endpoint.ts"
import { layerHealth } from "../http/health.ts"
import { makeMaintenance } from "../http/maintenance.ts"
import { makeServer } from "../http/make-server.ts"
import { v1Envelope } from "../http/reply.ts"
import { layerV1 } from "../http/v1/routes.ts"
import { layerV2 } from "../http/v2/routes.ts"
import { layerDiskMetrics, layerEventLoopMetrics, layerProcessMetrics } from "../telemetry/process-metrics.ts"
import { layerTelemetry } from "../telemetry/telemetry.ts"
import { layerInstrumentedSlipVerifier } from "../telemetry/instrumented/slip-verifier.ts"
import type { Settings } from "../settings/settings.ts"
import { layerEngines } from "./engines.ts"
import { layerOutside, SettingRefused } from "./external-layers.ts"
import { scratchModels } from "./scratch-models.ts"
import { fileInFolder, isShared } from "./stores.ts"
import { version } from "./version.ts"
import { layerWorker } from "./worker.ts"
import { parseRange } from "../ip-address.ts"

/** Requests in flight get this long to end once the service is told to stop (docs/spec/operations.md, "SIGTERM"). */
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

const ROLES = ["http", "worker", "projector"]

/** Refuses what cannot be done as it was set, rather than do something else. */
export const supported = (settings: Settings): Effect.Effect<void, SettingRefused> => {
  const { adminToken, rateLimit, rateLimitBurst, roles } = settings
  const refuse = (message: string) => Effect.fail(new SettingRefused({ message }))
  if (adminToken !== undefined && !/^[\x21-\x7e]+$/u.test(Redacted.value(adminToken))) {
    return refuse("ADMIN_TOKEN: only printable ASCII without spaces can be sent; make one with: openssl rand -hex 32")
  }
  const unknown = roles.find((role) => !ROLES.includes(role))
  if (unknown !== undefined) return refuse(`ROLES: "${unknown}" is none of ${ROLES.join(", ")}`)
  if (roles.length === 0) return refuse(`ROLES: give at least one of ${ROLES.join(", ")}`)
  if (!isShared(settings) && !(roles.includes("http") && roles.includes("projector"))) {
    return refuse(
      "ROLES: embedded stores belong to one process, which needs at least http,projector; "
        + "set EVENTSTORE_URL and REDIS_URL to share the work"
    )
  }
  if (rateLimit > 0 && rateLimitBurst === 0) {
    return refuse("RATE_LIMIT_BURST: 0 would refuse every request; give at least 1, or RATE_LIMIT=0 for no limit")
  }
  return Effect.void
}

const everything = ({ adminToken }: Settings) => {
  const maintenance = makeMaintenance({ projections, scratchModels })
  const forOperators = Layer.merge(layerAdmin(adminToken, maintenance), layerConsole(adminToken, maintenance))
  return Layer.mergeAll(layerV1, layerV2, layerDocs, layerHealth, forOperators)
}

/** What a process answers over HTTP: everything with the role http, otherwise only how it is. */
export const routes = (settings: Settings) => settings.roles.includes("http") ? everything(settings) : layerHealth

const territories = ({ adminToken }: Settings) => [
  territory("/v1", v1Envelope),
  territory("/api/v1", v1Envelope),
  ...(adminToken === undefined ? [] : [consoleTerritory])
]

/** HTTP over the engines. The server is in the layer's output, so that its address can be told. */
export const layerHttp = (settings: Settings) =>
  HttpRouter.serve(
    routes(settings).pipe(Layer.provideMerge(layerFallback(territories(settings)))),
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

/** What is measured of the process itself. */
const measures = (settings: Settings) =>
  Layer.mergeAll(
    layerProcessMetrics({ version, roles: settings.roles }),
    layerEventLoopMetrics,
    fileInFolder(settings) === undefined ? Layer.empty : layerDiskMetrics(settings.dataDir)
  )

/** Everything that one process of SlipTrail is. */
export const layerService = (settings: Settings) =>
  layerHttp(settings).pipe(
    Layer.provideMerge(settings.roles.includes("worker") ? layerWorker(settings) : Layer.empty),
    Layer.provideMerge(layerInstrumentedSlipVerifier.pipe(Layer.provide(SlipVerifier.layer))),
    Layer.provideMerge(layerOutside(settings)),
    Layer.provideMerge(layerEngines(settings, { project: settings.roles.includes("projector"), sign: settings })),
    Layer.provideMerge(layerTelemetry(settings, version)),
    Layer.provideMerge(measures(settings)),
    Layer.provide(Layer.effectDiscard(supported(settings)))
  )
