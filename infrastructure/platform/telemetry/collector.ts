import { Data, Effect, Layer } from "effect"
import { FetchHttpClient, HttpBody, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"

/** The collector did not accept the data. `message` says why and contains nothing of the data. */
export class CollectorError extends Data.TaggedError("CollectorError")<{ readonly message: string }> {}

/** The receiver of traces and metrics: OTLP over HTTP in JSON. */
export interface Collector {
  /** Such as `/v1/traces`. */
  readonly urlOf: (path: string) => string
  /** The configured headers, such as credentials. */
  readonly headers: Readonly<Record<string, string>>
  readonly post: (path: string, content: object) => Effect.Effect<void, CollectorError>
}

/** For a whole request. */
const TIMEOUT = "10 seconds"

/**
 * A client with a time limit: a collector that hangs would hold memory forever. It does not follow redirects, because the
 * headers can contain credentials of the collector.
 */
export const layerCollectorClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) =>
    HttpClient.transform(client, (response, request) =>
      response.pipe(
        Effect.tap(({ arrayBuffer }) => arrayBuffer),
        Effect.timeoutOrElse({
          duration: TIMEOUT,
          orElse: () => {
            const reason = new HttpClientError.TransportError({ request, description: `no answer within ${TIMEOUT}` })
            return Effect.fail(new HttpClientError.HttpClientError({ reason }))
          }
        }),
        // Requests to the collector are not traced.
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
      )))
).pipe(
  Layer.provide(FetchHttpClient.layer),
  Layer.provideMerge(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

export const makeCollector = Effect.fnUntraced(function* (endpoint: URL, headers: Readonly<Record<string, string>>) {
  const client = yield* HttpClient.HttpClient
  const base = endpoint.href.replace(/\/+$/u, "")
  const urlOf = (path: string) => `${base}${path}`
  const collector: Collector = {
    urlOf,
    headers,
    post: (path, content) =>
      HttpClientRequest.post(urlOf(path), { headers }).pipe(
        HttpClientRequest.setBody(HttpBody.text(JSON.stringify(content), "application/json")),
        client.execute,
        Effect.flatMap(({ status }) =>
          status >= 200 && status <= 299
            ? Effect.void
            : Effect.fail(new CollectorError({ message: `it answered ${status}` }))
        ),
        Effect.catchTag("HttpClientError", (error) => Effect.fail(new CollectorError({ message: describe(error) })))
      )
  }
  return collector
})

const describe = ({ reason }: HttpClientError.HttpClientError): string =>
  reason.description ?? `it cannot be reached (${rootCause("cause" in reason ? reason.cause : undefined)})`

/** The system code or the message of the root cause. */
const rootCause = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown cause"
  if ("code" in error && typeof error.code === "string") return error.code
  return error.cause === undefined ? error.message : rootCause(error.cause)
}
