import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { endpoint, type Exchange } from "../endpoint.ts"

/** Loaded and rendered with the first request, so that a process without readers does not pay for it. */
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

/** The API's description, for programs and for people. It needs no key. */
export const layerDocs = Layer.mergeAll(openApi, docs)
