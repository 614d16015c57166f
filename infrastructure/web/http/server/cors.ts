import { Effect, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { pathOfTarget } from "./exact-request.ts"
import { countUnrouted } from "./http-metrics.ts"
import { makeRequestId } from "./request-ids.ts"

/** The origins whose pages may read answers (docs/spec/http.md, "CORS"). */
export type Origins = "*" | ReadonlySet<string>

/** Why an entry is no origin as browsers send it; undefined when it is one. */
const faultOf = (entry: string): string | undefined => {
  const url = URL.parse(entry)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return "is not an origin: write https://shop.example, or * alone for every origin"
  }
  if (url.hostname.includes("*")) return "is a pattern: list each origin, or write * alone for every origin"
  return url.origin === entry ? undefined : `is not an origin as browsers send it: write ${url.origin}`
}

/** Reads the entries of `CORS_ORIGINS`; the failure is a message. */
export const parseOrigins = (entries: ReadonlyArray<string>): Result.Result<Origins, string> => {
  if (entries.length === 1 && entries[0] === "*") return Result.succeed("*")
  const faults = entries.flatMap((entry) => {
    const fault = entry === "*" ? "stands for every origin: write it alone" : faultOf(entry)
    return fault === undefined ? [] : [`"${entry}" ${fault}`]
  })
  return faults.length === 0 ? Result.succeed(new Set(entries)) : Result.fail(faults.join("; "))
}

/** What merchants call. Pages never read answers of operators' paths. */
const PREFIXES = ["/v2", "/v1", "/api/v1"]

const isForBrowsers = (target: string): boolean => {
  const path = pathOfTarget(target)
  return PREFIXES.some((prefix) => path.startsWith(prefix) && ["", "/"].includes(path.charAt(prefix.length)))
}

/** Headers of an answer that a page can read, besides those that every page can. */
const EXPOSED = [
  "X-Request-Id",
  "X-Client-Request-Id",
  "Retry-After",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Idempotent-Replayed",
  "X-Sandbox"
].join(", ")

const PREFLIGHT = {
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key, X-Request-Id, traceparent",
  // Chromium keeps an answer no longer.
  "access-control-max-age": "7200"
}

/** The answer depends on the origin also when it allows none. */
const VARY = { vary: "Origin" }

type Request = HttpServerRequest.HttpServerRequest

const allowedOrigin = (origins: Origins, { headers }: Request): string | undefined => {
  if (origins === "*") return "*"
  const { origin } = headers
  return origin !== undefined && origins.has(origin) ? origin : undefined
}

const isPreflight = ({ headers, method }: Request): boolean =>
  method === "OPTIONS" && headers["origin"] !== undefined && headers["access-control-request-method"] !== undefined

/** Answers a preflight without a route, a key or a look at any store. */
const answerPreflight = (request: Request, origin: string) =>
  Effect.as(
    countUnrouted(204),
    HttpServerResponse.empty({
      status: 204,
      headers: {
        "x-request-id": makeRequestId(request.headers),
        "access-control-allow-origin": origin,
        ...PREFLIGHT,
        ...VARY
      }
    })
  )

/**
 * Lets pages of these origins call v1 and v2 (docs/spec/http.md, "CORS"). It must be outside of all that answers, so that
 * pages can read refusals too. Answers never allow credentials: only a key in the `Authorization` header counts.
 */
export const layerCors = (origins: Origins) =>
  HttpRouter.middleware(
    (answer) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        if (!isForBrowsers(request.url)) return answer
        const origin = allowedOrigin(origins, request)
        if (origin === undefined) return Effect.map(answer, HttpServerResponse.setHeaders(VARY))
        if (isPreflight(request)) return answerPreflight(request, origin)
        return Effect.map(
          answer,
          HttpServerResponse.setHeaders({
            "access-control-allow-origin": origin,
            "access-control-expose-headers": EXPOSED,
            ...VARY
          })
        )
      }),
    { global: true }
  )
