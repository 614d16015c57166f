import { Context, Effect } from "effect"
import { isHttps, TrustedProxies } from "./client-address.ts"
import type { Exchange } from "./endpoint.ts"

/** The setting `PUBLIC_URL`: the origin under which clients reach the API and the shop's page; undefined without it. */
export const PublicUrl = Context.Reference<string | undefined>("sliptrail/http/PublicUrl", {
  defaultValue: () => undefined
})

/** The origin of links in answers: `PUBLIC_URL`, or where the request was sent to. */
export const publicOrigin = Effect.fnUntraced(function* (exchange: Exchange) {
  const setting = yield* PublicUrl
  if (setting !== undefined) return setting
  const scheme = isHttps(exchange, yield* TrustedProxies) ? "https" : "http"
  return `${scheme}://${exchange.headers["host"] ?? "127.0.0.1"}`
})

/** The URL of a sign-in link below an origin. Its holder signs one device in: it never reaches a log line. */
export const signInLinkUrl = (origin: string, token: string): string => `${origin}/app/link/${token}`
