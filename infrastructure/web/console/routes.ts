import { Effect, Layer } from "effect"
import type { AdminAuth } from "../http/auth/admin-auth.ts"
import { endpoints, routeNamespace } from "../http/server/endpoint.ts"
import type { Maintenance } from "../http/operations/maintenance.ts"
import { siteEnvelope } from "../http/sites/site-envelope.ts"
import type { OidcConnection } from "./oidc/sign-in.ts"
import type { SessionLimits } from "../pages/signed-sessions.ts"

const consoleEnvelope = siteEnvelope("/console")

const route = endpoints(consoleEnvelope)

/** The limit of a form, in bytes. The largest form has the settings of a branch. */
const FORM_BYTES = 256 * 1024

/** Loaded with the first request, so that a process whose console is not used does not pay for it. */
const load = Effect.promise(() => import("./app.ts"))

/** The operators' console. */
export const layerConsole = (
  auth: AdminAuth,
  maintenance: Maintenance,
  limits: SessionLimits,
  oidc: OidcConnection | undefined
) =>
  Layer.unwrap(Effect.gen(function* () {
    const app = yield* Effect.cached(Effect.flatMap(load, ({ makeApp }) => makeApp(auth, maintenance, limits, oidc)))
    return Layer.merge(
      route("GET", "/console/*", (exchange) => Effect.flatMap(app, ({ get }) => get(exchange))),
      route("POST", "/console/*", (exchange) => Effect.flatMap(app, ({ post }) => post(exchange)), {
        bodyBytes: FORM_BYTES
      })
    )
  }))

/** Paths below `/console` without a route, in a process that has a console. */
export const consoleNamespace = routeNamespace("/console", consoleEnvelope)
