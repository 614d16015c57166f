import { Effect, Layer, type Redacted } from "effect"
import { endpoints, territory } from "../http/endpoint.ts"
import type { Maintenance } from "../http/maintenance.ts"
import { consoleEnvelope } from "./envelope.ts"

const route = endpoints(consoleEnvelope)

/** A form has no room for more than settings of a branch. */
const FORM_BYTES = 256 * 1024

/** Loaded when somebody looks for the first time: who never does pays nothing for it. */
const load = Effect.promise(() => import("./app.ts"))

const routes = (token: Redacted.Redacted, maintenance: Maintenance) =>
  Layer.unwrap(Effect.gen(function* () {
    const site = yield* Effect.cached(Effect.flatMap(load, ({ makeSite }) => makeSite(token, maintenance)))
    return Layer.merge(
      route("GET", "/console/*", (exchange) => Effect.flatMap(site, ({ look }) => look(exchange))),
      route("POST", "/console/*", (exchange) => Effect.flatMap(site, ({ act }) => act(exchange)), {
        bodyBytes: FORM_BYTES
      })
    )
  }))

/** The operators' console; without a token it is not there at all (docs/spec/operations.md, "Settings"). */
export const layerConsole = (
  token: Redacted.Redacted | undefined,
  maintenance: Maintenance
): ReturnType<typeof routes> | typeof Layer.empty => token === undefined ? Layer.empty : routes(token, maintenance)

/** What lies below `/console` and is no page, in a process that has a console. */
export const consoleTerritory = territory("/console", consoleEnvelope)
