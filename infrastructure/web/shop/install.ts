import { HttpServerResponse } from "effect/http"
import type { Exchange } from "../http/server/endpoint.ts"
import { sendStored } from "../pages/respond.ts"
import { icons, serviceWorker } from "./assets.ts"
import type { Messages } from "./messages.ts"

/** What a phone needs to put the page on its home screen. */
export const sendManifest = ({ check, language }: Messages, { requestId }: Exchange) =>
  HttpServerResponse.text(
    JSON.stringify({
      name: `SlipTrail – ${check.title}`,
      short_name: check.title,
      lang: language,
      id: "/app",
      start_url: "/app",
      scope: "/app",
      display: "standalone",
      background_color: "#f4f6f8",
      theme_color: "#0b6353",
      icons: icons.map(({ path, purpose, size, type }) => ({ src: path, sizes: size, type, purpose }))
    }),
    { contentType: "application/manifest+json", headers: { "x-request-id": requestId, "cache-control": "no-cache" } }
  )

/** Its path has no digest, because a browser keeps asking for the same path. Its scope is wider than its folder. */
export const sendServiceWorker = (exchange: Exchange) =>
  sendStored(serviceWorker, exchange, { "cache-control": "no-cache", "service-worker-allowed": "/app" })
