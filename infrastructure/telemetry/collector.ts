import { Data, Effect, Layer } from "effect"
import { FetchHttpClient, HttpBody, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"

/** The collector did not take it; `message` says why, and nothing of what was sent. */
export class CollectorError extends Data.TaggedError("CollectorError")<{ readonly message: string }> {}

/** Where traces and metrics go to, by OTLP over HTTP, in JSON. */
export interface Collector {
  /** Such as `/v1/traces`. */
  readonly urlOf: (path: string) => string
  /** What the collector wants to know its clients by. */
  readonly headers: Readonly<Record<string, string>>
  readonly post: (path: string, content: object) => Effect.Effect<void, CollectorError>
}

/** For a whole exchange. */
const PATIENCE = "10 seconds"

/**
 * A client that gives up on a collector that hangs, which would keep what is under way for ever. It follows no
 * redirects: the headers that stand for a key are for the collector alone.
 */
export const layerCollectorClient = Layer.effect(
  HttpClient.HttpClient,
  Effect.map(HttpClient.HttpClient, (client) =>
    HttpClient.transform(client, (exchange, request) =>
      exchange.pipe(
        Effect.tap((response) => response.arrayBuffer),
        Effect.timeoutOrElse({
          duration: PATIENCE,
          orElse: () => {
            const reason = new HttpClientError.TransportError({ request, description: `no answer within ${PATIENCE}` })
            return Effect.fail(new HttpClientError.HttpClientError({ reason }))
          }
        }),
        // What is sent to the collector stands in no trace itself.
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
        Effect.catchTag("HttpClientError", (error) => Effect.fail(new CollectorError({ message: whyNot(error) })))
      )
  }
  return collector
})

const whyNot = ({ reason }: HttpClientError.HttpClientError): string =>
  reason.description ?? `it cannot be reached (${rootOf("cause" in reason ? reason.cause : undefined)})`

/** What an error goes back to: the system's code for it, else its words. */
const rootOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "no reason was given"
  if ("code" in error && typeof error.code === "string") return error.code
  return error.cause === undefined ? error.message : rootOf(error.cause)
}
