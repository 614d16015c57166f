import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Duration, Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { projections } from "../../projections/models/all.ts"
import { consoleNamespace, layerConsole } from "../web/console/routes.ts"
import { makeAdminAuth } from "../web/http/auth/admin-auth.ts"
import { WrongKeyLimiter } from "../web/http/auth/authenticate.ts"
import { layerAdmin } from "../web/http/admin/routes.ts"
import { layerRequestBodies } from "../web/http/bodies/request-bodies.ts"
import { defaultTotal, maxDescriptors } from "../web/http/server/connection-limits.ts"
import { reportClosedConnections } from "../web/http/server/connection-report.ts"
import { TrustedProxies } from "../web/http/server/client-address.ts"
import { layerCors, type Origins, parseOrigins } from "../web/http/server/cors.ts"
import { adminDocsNamespace, docsNamespace, layerAdminDocs, layerDocs } from "../web/docs/routes.ts"
import { exactRouting, layerFallback, type RouteNamespace, routeNamespace } from "../web/http/server/endpoint.ts"
import { makeFailureLimiter } from "../web/http/auth/failure-limiter.ts"
import { layerHealth, layerMetrics, layerReadinessReport, layerStandstill } from "../web/http/server/health.ts"
import { makeMaintenance } from "../web/http/operations/maintenance.ts"
import { makeServer } from "../web/http/server/make-server.ts"
import { PublicPort, PublicUrl } from "../web/http/server/public-url.ts"
import { v1Envelope } from "../web/http/server/reply.ts"
import { SandboxMark } from "../web/http/operations/sandbox-mark.ts"
import { layerV1 } from "../web/http/v1/routes.ts"
import { layerV2 } from "../web/http/v2/routes.ts"
import { parseRange } from "../platform/ip-address.ts"
import { layerHashing } from "../adapters/notary/signing-keys.ts"
import type { Settings } from "../platform/settings/settings.ts"
import { SettingRefused } from "./external-layers.ts"
import { layerLogSigning } from "./log-proof.ts"
import { oidcConnection } from "./oidc.ts"
import { usesSandbox } from "./sandbox-bank.ts"
import { layerShop, shopNamespace } from "../web/shop/routes.ts"
import { scratchModels } from "./stores.ts"

/** The time limit of current requests at shutdown (docs/spec/operations.md, "SIGTERM"). */
const DRAIN = "8 seconds"

/** The address that admin API, console and metrics listen on when it is not that of the API. */
export class AdminListener extends Context.Service<AdminListener, {
  readonly address: HttpServer.HttpServer["Service"]["address"] | undefined
}>()("sliptrail/runtime/AdminListener") {}

/** The proxies of `TRUSTED_PROXIES`. */
export const trustedProxies = ({ trustedProxies: entries }: Settings) =>
  Layer.effect(
    TrustedProxies,
    Effect.forEach(entries, (entry) => {
      const range = parseRange(entry)
      return range === undefined
        ? Effect.fail(
          new SettingRefused({ message: `TRUSTED_PROXIES: "${entry}" is not an IP address or a CIDR range` })
        )
        : Effect.succeed(range)
    })
  )

/** The origins of `CORS_ORIGINS`; undefined without it. */
export const corsOrigins = ({ corsOrigins: entries }: Settings): Effect.Effect<Origins | undefined, SettingRefused> =>
  entries.length === 0 ? Effect.undefined : Effect.mapError(
    Effect.fromResult(parseOrigins(entries)),
    (message) => new SettingRefused({ message: `CORS_ORIGINS: ${message}` })
  )

const layerCorsOf = (settings: Settings) =>
  Layer.unwrap(
    Effect.map(corsOrigins(settings), (origins) => origins === undefined ? Layer.empty : layerCors(origins))
  )

const isServing = ({ roles }: Settings): boolean => roles.includes("http")

const shopLimits = ({ shopIdleTimeout, shopSessionTimeout }: Settings) => ({
  maxMillis: Duration.toMillis(shopSessionTimeout),
  idleMillis: Duration.toMillis(shopIdleTimeout)
})

/** What callers need. A process without the role http has only the health routes. */
const publicRoutes = (settings: Settings) =>
  isServing(settings)
    ? Layer.mergeAll(layerV1, layerV2, layerDocs, layerHealth, layerShop(shopLimits(settings)))
    : layerHealth

const operatorRoutes = (settings: Settings) => {
  const { adminToken, consoleIdleTimeout, consoleSessionTimeout, jobRetention } = settings
  const retentionMillis = Duration.toMillis(jobRetention)
  const maintenance = makeMaintenance({ projections, retentionMillis, scratchModels })
  const limits = {
    maxMillis: Duration.toMillis(consoleSessionTimeout),
    idleMillis: Duration.toMillis(consoleIdleTimeout)
  }
  return Layer.unwrap(Effect.gen(function* () {
    const oidc = yield* oidcConnection(settings)
    const auth = yield* makeAdminAuth(adminToken, oidc?.client)
    return Layer.mergeAll(
      layerMetrics,
      layerAdmin(auth, maintenance),
      layerAdminDocs,
      layerConsole(auth, maintenance, limits, oidc)
    )
  })).pipe(Layer.provide(Layer.merge(layerHashing, layerLogSigning(settings))))
}

/** What operators and scrapers need. */
const managementRoutes = (settings: Settings) => isServing(settings) ? operatorRoutes(settings) : layerMetrics

/** All HTTP routes of a process. */
export const routes = (settings: Settings) => Layer.merge(publicRoutes(settings), managementRoutes(settings))

const publicNamespaces = (settings: Settings): ReadonlyArray<RouteNamespace> => [
  routeNamespace("/v1", v1Envelope),
  routeNamespace("/api/v1", v1Envelope),
  ...(isServing(settings) ? [docsNamespace, shopNamespace] : [])
]

const managementNamespaces = (settings: Settings): ReadonlyArray<RouteNamespace> =>
  isServing(settings) ? [consoleNamespace, adminDocsNamespace] : []

/**
 * Serves routes on the HTTP server of the context. Each call has a router of its own. `outermost` is the middleware
 * around every answer: a router applies the one that is added first outside of the others.
 */
const serve = <A, E, R, E2 = never, R2 = never>(
  routes: Layer.Layer<A, E, R>,
  namespaces: ReadonlyArray<RouteNamespace>,
  outermost: Layer.Layer<never, E2, R2>
) =>
  HttpRouter.serve(routes.pipe(Layer.provideMerge(layerFallback(namespaces)), Layer.provideMerge(outermost)), {
    disableLogger: true,
    disableListenLog: true,
    routerConfig: exactRouting
  })

/** The settings of an address, in the words of a message. */
interface AddressSettings {
  readonly host: "HOST" | "ADMIN_HOST"
  readonly port: "PORT" | "ADMIN_PORT"
}

/** Why the process cannot listen on an address, and what to do. */
const cannotListen = (host: string, port: number, names: AddressSettings, cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`
  switch (code) {
    case "EADDRINUSE":
      return `${names.port}: another program listens on ${address}: stop it, or set another ${names.port}`
    case "EACCES":
      return `${names.port}: this user may not listen on ${address}: set a ${names.port} above 1023`
    // Deno says EINVAL.
    case "EADDRNOTAVAIL":
    case "EINVAL":
    case "ENOTFOUND":
      return `${names.host}: ${host} is no address of this machine: set ${names.host} to one that it has`
    default:
      return `${names.port}: cannot listen on ${address}: ${String(cause)}`
  }
}

const layerServer = (settings: Settings, host: string, port: number, total: number, names: AddressSettings) => {
  const { maxConnectionsPerAddress: perAddress, trustedProxies: entries } = settings
  const proxies = entries.map(parseRange).filter((range) => range !== undefined)
  return Layer.unwrap(
    Effect.map(
      reportClosedConnections,
      (onClose) =>
        NodeHttpServer.layer(() => makeServer({ total, perAddress, proxies, onClose }), {
          host,
          port,
          gracefulShutdownTimeout: DRAIN
        })
    )
  ).pipe(
    // Logged here: what the process has opened by now may take seconds to close.
    Layer.catchTag("ServeError", ({ cause }) => {
      const message = cannotListen(host, port, names, cause)
      return Layer.effectContext(Effect.andThen(Effect.logError(message), Effect.fail(new SettingRefused({ message }))))
    })
  )
}

/** Open connections of operators and scrapers, when they have an address of their own. */
const MAX_ADMIN_CONNECTIONS = 200

const layerPublicServer = (settings: Settings) =>
  layerServer(settings, settings.host, settings.port, settings.maxConnections ?? defaultTotal(maxDescriptors()), {
    host: "HOST",
    port: "PORT"
  })

/** One address for all routes. */
const layerSingle = (settings: Settings) =>
  serve(routes(settings), [...publicNamespaces(settings), ...managementNamespaces(settings)], layerCorsOf(settings))
    .pipe(
      Layer.provideMerge(layerPublicServer(settings)),
      Layer.merge(Layer.succeed(AdminListener, { address: undefined }))
    )

/** The management routes on an address of their own, with the health routes, which both addresses have. */
const layerAdminListener = (settings: Settings, port: number) =>
  Layer.effect(AdminListener, Effect.map(HttpServer.HttpServer, ({ address }) => ({ address }))).pipe(
    Layer.merge(
      serve(Layer.merge(layerHealth, managementRoutes(settings)), managementNamespaces(settings), Layer.empty)
    ),
    Layer.provide(layerServer(settings, settings.adminHost ?? "127.0.0.1", port, MAX_ADMIN_CONNECTIONS, {
      host: "ADMIN_HOST",
      port: "ADMIN_PORT"
    }))
  )

const layerPublicPort = Layer.effect(
  PublicPort,
  Effect.map(HttpServer.HttpServer, ({ address }) => "port" in address ? address.port : undefined)
)

/** The addresses are separate routers: the public one has no management routes that a path could reach. */
const layerSeparate = (settings: Settings, adminPort: number) =>
  serve(publicRoutes(settings), publicNamespaces(settings), layerCorsOf(settings)).pipe(
    Layer.merge(Layer.provide(layerAdminListener(settings, adminPort), layerPublicPort)),
    Layer.provideMerge(layerPublicServer(settings))
  )

const requestBodies = ({ bodyBytesPerBranch, bodyBytesTotal, bodyIdleTimeout, bodyMaxWait }: Settings) =>
  layerRequestBodies({
    totalBytes: bodyBytesTotal,
    bytesPerBranch: bodyBytesPerBranch,
    maxWait: bodyMaxWait,
    idleTimeout: bodyIdleTimeout
  })

const wrongKeyLimiter = ({ wrongKeysPerMinute: max }: Settings) =>
  Layer.sync(WrongKeyLimiter, () => max === 0 ? undefined : makeFailureLimiter(max))

/** The HTTP servers. The layer provides the public server and the address of the other, so that they can be logged. */
export const layerHttp = (settings: Settings) =>
  (settings.adminPort === undefined ? layerSingle(settings) : layerSeparate(settings, settings.adminPort)).pipe(
    Layer.merge(layerReadinessReport),
    Layer.provide(
      Layer.mergeAll(
        trustedProxies(settings),
        layerStandstill,
        Layer.succeed(SandboxMark, usesSandbox(settings)),
        Layer.succeed(PublicUrl, settings.publicUrl)
      )
    ),
    Layer.provide(Layer.merge(requestBodies(settings), wrongKeyLimiter(settings)))
  )
