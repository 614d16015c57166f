import { Schema, SchemaTransformation } from "effect"
import { List, optional, setting } from "./setting.ts"

type Pairs = Readonly<Record<string, string>>

const Endpoint = Schema.URLFromString.check(
  Schema.makeFilter(({ hash, password, protocol, search, username }) => {
    if (protocol !== "http:" && protocol !== "https:") {
      return "Expected an http or https URL: only OTLP over HTTP is supported"
    }
    if (username !== "" || password !== "") {
      return "Expected a URL without user and password: set OTEL_EXPORTER_OTLP_HEADERS instead"
    }
    return (search === "" && hash === "") || "Expected a URL without a query"
  })
)

const isPair = (entry: string): boolean => /^[^=\s]+\s*=/u.test(entry) && !/%(?![0-9a-f]{2})/iu.test(entry)

const pairOf = (entry: string): readonly [name: string, value: string] => {
  const sign = entry.indexOf("=")
  return [entry.slice(0, sign).trim(), decodeURIComponent(entry.slice(sign + 1).trim())]
}

/** The format of OpenTelemetry's "Environment variables". A comma or a `%` in a value must be percent-encoded. */
const Pairs = List.check(
  Schema.makeFilter((entries: ReadonlyArray<string>) =>
    entries.every(isPair) || "Expected name=value, separated by commas, values percent-encoded"
  )
).pipe(
  Schema.decodeTo(
    Schema.Record(Schema.String, Schema.String),
    SchemaTransformation.transform({
      decode: (entries): Pairs => Object.fromEntries(entries.map(pairOf)),
      encode: (pairs) => Object.entries(pairs).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    })
  )
)

const samplers = ["always_on", "always_off", "traceidratio"] as const

/** Settings of logs, and of traces and metrics under the names that OpenTelemetry defines. */
export const telemetrySettings = {
  logFormat: optional(
    "LOG_FORMAT",
    "`pretty` or `json`. Default: `pretty` on a terminal, otherwise `json`.",
    Schema.Literals(["pretty", "json"])
  ),
  logLevel: setting(
    "LOG_LEVEL",
    "info",
    "`debug`, `info`, `warn` or `error`.",
    Schema.Literals(["debug", "info", "warn", "error"])
  ),
  otlpEndpoint: optional(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "URL of a collector that accepts OTLP over HTTP, such as `http://127.0.0.1:4318`. Without it, traces and metrics are not sent.",
    Endpoint
  ),
  otlpHeaders: optional(
    "OTEL_EXPORTER_OTLP_HEADERS",
    "Headers for the collector, such as an API key: `name=value`, separated by commas, values percent-encoded.",
    Schema.RedactedFromValue(Pairs),
    true
  ),
  otelServiceName: setting(
    "OTEL_SERVICE_NAME",
    "sliptrail",
    "Name of the service in traces and metrics.",
    Schema.String
  ),
  otelResourceAttributes: setting(
    "OTEL_RESOURCE_ATTRIBUTES",
    "",
    "Further attributes of this process in traces and metrics: `name=value`, separated by commas, values percent-encoded.",
    Pairs
  ),
  otelTracesSampler: setting(
    "OTEL_TRACES_SAMPLER",
    "traceidratio",
    "Which traces are sent: `always_on`, `always_off` or `traceidratio`. The `parentbased_` names mean the same, because the sampling flag of a caller is ignored.",
    Schema.Literals([...samplers, ...samplers.map((name) => `parentbased_${name}` as const)])
  ),
  otelTracesSamplerArg: setting(
    "OTEL_TRACES_SAMPLER_ARG",
    "1",
    "Share of traces that `traceidratio` sends, from 0 to 1.",
    Schema.FiniteFromString.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
  )
} as const
