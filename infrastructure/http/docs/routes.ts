import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { endpoint, type Exchange } from "../endpoint.ts"

/** Loaded and rendered with the first request: most processes never serve the page. */
const rendered = Effect.promise(() => import("./page.ts"))

const headersOf = ({ requestId }: Exchange) => ({
  "x-request-id": requestId,
  "x-content-type-options": "nosniff",
  // The next version of the service has another document at the same address.
  "cache-control": "no-cache"
})

const openApi = endpoint(
  "GET",
  "/openapi.json",
  Effect.fnUntraced(function* (exchange) {
    const { openApi } = yield* rendered
    return HttpServerResponse.text(openApi, { contentType: "application/json", headers: headersOf(exchange) })
  })
)

const docs = endpoint(
  "GET",
  "/docs",
  Effect.fnUntraced(function* (exchange) {
    const { contentSecurityPolicy, page } = yield* rendered
    return HttpServerResponse.text(page, {
      contentType: "text/html; charset=utf-8",
      headers: {
        ...headersOf(exchange),
        "content-security-policy": contentSecurityPolicy,
        "referrer-policy": "no-referrer"
      }
    })
  })
)

/** The OpenAPI document and the reference page. They need no key. */
export const layerDocs = Layer.mergeAll(openApi, docs)
