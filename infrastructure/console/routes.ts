import { Effect, Layer } from "effect"
import type { AdminAuth } from "../http/admin-auth.ts"
import { endpoints, routeNamespace } from "../http/endpoint.ts"
import { markup } from "../pages/html.ts"
import type { Maintenance } from "../http/maintenance.ts"
import type { Envelope } from "../http/reply.ts"
import type { OidcConnection } from "./oidc/sign-in.ts"
import { sendHtml } from "../pages/respond.ts"
import type { SessionLimits } from "../pages/session-limits.ts"

/** The content of an answer outside the pages. */
interface Notice {
  readonly status: number
  readonly message: string
}

/** Answers outside the pages: unknown methods and paths, and unexpected errors. */
const consoleEnvelope: Envelope<Notice, never> = {
  reply: (never) => never,
  error: ({ message, status }, { headers = {}, requestId }) =>
    sendHtml(
      markup`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>SlipTrail</title></head>
<body><main><h1>${message}</h1><p>X-Request-Id: <code>${requestId}</code></p>
<p><a href="/console">SlipTrail</a></p></main></body>
</html>`,
      status,
      { requestId, answerHeaders: headers }
    ),
  notFound: { status: 404, message: "Page not found" },
  unexpected: { status: 500, message: "An unexpected error occurred. The log has its cause under this id." },
  repeated: (header) => ({ status: 400, message: `The request has several ${header} headers. Send one.` })
}

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
