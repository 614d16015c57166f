import { Context, Effect } from "effect"
import { isHttps, TrustedProxies } from "./client-address.ts"
import type { Exchange } from "./endpoint.ts"

/** The setting `PUBLIC_URL`: the origin under which clients reach the API and the shop's page; undefined without it. */
export const PublicUrl = Context.Reference<string | undefined>("sliptrail/http/PublicUrl", {
  defaultValue: () => undefined
})

/** On the listener of `ADMIN_PORT`: the port of the listener that has the shop's page. */
export const PublicPort = Context.Reference<number | undefined>("sliptrail/http/PublicPort", {
  defaultValue: () => undefined
})

/** The origin of links in answers: `PUBLIC_URL`, or the host to which the request was sent. */
export const publicOrigin = Effect.fnUntraced(function* (exchange: Exchange) {
  const setting = yield* PublicUrl
  if (setting !== undefined) return setting
  const host = exchange.headers["host"] ?? "127.0.0.1"
  const port = yield* PublicPort
  // A proxy in front of this listener says nothing about the other one.
  if (port !== undefined) return `http://${host.replace(/:\d+$/u, "")}:${port}`
  const scheme = isHttps(exchange, yield* TrustedProxies) ? "https" : "http"
  return `${scheme}://${host}`
})
