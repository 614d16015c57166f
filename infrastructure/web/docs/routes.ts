import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { DEFAULT_LANGUAGE, isLanguage } from "../languages/languages.ts"
import { sendHtml, sendStored } from "../pages/respond.ts"
import { endpoint, endpoints, type Exchange, queryOf, routeNamespace } from "../http/server/endpoint.ts"
import { pathOfTarget } from "../http/server/exact-request.ts"
import { siteEnvelope } from "../http/sites/site-envelope.ts"
import type { Site } from "./site.ts"
import type { SiteBase } from "./site-files.ts"

const docsEnvelope = siteEnvelope(undefined)

const route = endpoints(docsEnvelope)

/** The next version of the service has another page at the same address. */
const CHECKED = { "cache-control": "no-cache" }

const answer = (site: Site, base: string, exchange: Exchange) => {
  const path = pathOfTarget(exchange.request.url)
  const asset = site.asset(path)
  if (asset !== undefined) return sendStored(asset, exchange)
  const page = site.page(path)
  if (page !== undefined) return sendStored(page, exchange, CHECKED)
  if (path !== `${base}/search`) return sendHtml(site.notFound, 404, exchange)
  const query = queryOf(exchange)
  const language = query.get("language") ?? ""
  return sendHtml(site.search(query.get("q") ?? "", isLanguage(language) ? language : DEFAULT_LANGUAGE), 200, exchange)
}

/** The pages below `base`. They are loaded with the first request: most processes never serve them. */
const pagesAt = (base: SiteBase) =>
  Layer.unwrap(Effect.gen(function* () {
    const site = yield* Effect.cached(
      Effect.promise(async () => (await import("./site.ts")).loadSite(base))
    )
    return route("GET", `${base}/*`, (exchange) => Effect.map(site, (loaded) => answer(loaded, base, exchange)))
  }))

const openApi = endpoint(
  "GET",
  "/openapi.json",
  Effect.fnUntraced(function* ({ requestId }) {
    const { openApi } = yield* Effect.promise(() => import("./documents.ts"))
    return HttpServerResponse.text(openApi(), {
      contentType: "application/json",
      headers: {
        "x-request-id": requestId,
        "x-content-type-options": "nosniff",
        // The next version of the service has another document at the same address.
        "cache-control": "no-cache"
      }
    })
  })
)

/** The OpenAPI document and the documentation of the API. They need no key. */
export const layerDocs = Layer.mergeAll(openApi, pagesAt("/docs"))

/** The reference of the admin API. It needs no token, as the OpenAPI document of the admin API. */
export const layerAdminDocs = pagesAt("/admin/v1/docs")

/** Paths below the pages without a route. */
export const docsNamespace = routeNamespace("/docs", docsEnvelope)
export const adminDocsNamespace = routeNamespace("/admin/v1/docs", docsEnvelope)
