import { Config, Redacted, Schema, SchemaTransformation } from "effect"
import { optional, type Setting, setting, withDefault } from "./setting.ts"

type Pairs = Readonly<Record<string, string>>

const Endpoint = Schema.URLFromString.check(
  Schema.makeFilter(({ hash, password, protocol, search, username }) => {
    if (protocol !== "http:" && protocol !== "https:") return "Expected an http or https URL: OTLP goes over HTTP here"
    if (username !== "" || password !== "") return "Expected a URL without a user: OTEL_EXPORTER_OTLP_HEADERS is for that"
    return (search === "" && hash === "") || "Expected a URL without a query"
  })
)

const entriesOf = (text: string): ReadonlyArray<string> =>
  text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "")

const isPair = (entry: string): boolean => /^[^=\s]+\s*=/u.test(entry) && !/%(?![0-9a-f]{2})/iu.test(entry)

const pairOf = (entry: string): readonly [name: string, value: string] => {
  const sign = entry.indexOf("=")
  return [entry.slice(0, sign).trim(), decodeURIComponent(entry.slice(sign + 1).trim())]
}

/** `name=value` with commas between them, values percent-encoded where need be (OpenTelemetry, "Environment variables"). */
const Pairs = Schema.String.check(
  Schema.makeFilter((text: string) =>
    entriesOf(text).every(isPair) || "Expected name=value, with commas between them and values percent-encoded"
  )
).pipe(
  Schema.decodeTo(
    Schema.Record(Schema.String, Schema.String),
    SchemaTransformation.transform({
      decode: (text): Pairs => Object.fromEntries(entriesOf(text).map(pairOf)),
      encode: (pairs) => Object.entries(pairs).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join(",")
    })
  )
)

const otlpHeaders: Setting<Redacted.Redacted<Pairs> | undefined> = {
  ...optional(
    "OTEL_EXPORTER_OTLP_HEADERS",
    "headers that the collector asks for, such as a key: name=value, with commas between them and values percent-encoded",
    (name) => Config.map(Config.schema(Pairs, name), (pairs) => Redacted.make(pairs))
  ),
  secret: true
}

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio"
] as const

const Share = Schema.FiniteFromString.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** Where traces and metrics are sent, under the names that OpenTelemetry gave these settings. */
export const telemetrySettings = {
  otlpEndpoint: optional(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "URL of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318: traces and metrics are sent there; absent: nothing is",
    (name) => Config.schema(Endpoint, name)
  ),
  otlpHeaders,
  otelServiceName: setting(
    "OTEL_SERVICE_NAME",
    "sliptrail",
    "name of the service in traces and metrics",
    withDefault("sliptrail", Config.String)
  ),
  otelResourceAttributes: setting(
    "OTEL_RESOURCE_ATTRIBUTES",
    "",
    "what else is said of this process in traces and metrics: name=value, with commas between them",
    withDefault<Pairs>({}, (name) => Config.schema(Pairs, name))
  ),
  otelTracesSampler: setting(
    "OTEL_TRACES_SAMPLER",
    "traceidratio",
    "which traces are sent: always_on, always_off or traceidratio; parentbased_… is the same, as callers do not decide",
    (name) => Config.withDefault(Config.Literals(samplers, name), "traceidratio" as const)
  ),
  otelTracesSamplerArg: setting(
    "OTEL_TRACES_SAMPLER_ARG",
    "1",
    "share of traces that traceidratio sends, from 0 to 1",
    withDefault(1, (name) => Config.schema(Share, name))
  )
} as const
