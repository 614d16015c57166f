import { Effect, Layer, Redacted, References } from "effect"
import { OtlpMetrics, OtlpResource, OtlpSerialization } from "effect/observability"
import { randomUUID } from "node:crypto"
import type { Settings } from "../settings/settings.ts"
import { layerCollectorClient, makeCollector } from "./collector.ts"
import { makeSpanSender } from "./span-sender.ts"
import { layerTracing } from "./tracing.ts"

export type TelemetrySettings = Pick<
  Settings,
  | "otlpEndpoint"
  | "otlpHeaders"
  | "otelServiceName"
  | "otelResourceAttributes"
  | "otelTracesSampler"
  | "otelTracesSamplerArg"
>

/** Sends traces and metrics to the collector of the settings. Without a collector Effect creates no spans. */
export const layerTelemetry = (settings: TelemetrySettings, version: string): Layer.Layer<never> =>
  settings.otlpEndpoint === undefined ? layerDisabled : layerEnabled(settings.otlpEndpoint, settings, version)

const layerDisabled = Layer.succeed(References.TracerEnabled, false)

const layerEnabled = (endpoint: URL, settings: TelemetrySettings, version: string) =>
  Layer.unwrap(Effect.gen(function* () {
    const { otelServiceName: serviceName, otlpHeaders } = settings
    const collector = yield* makeCollector(endpoint, otlpHeaders === undefined ? {} : Redacted.value(otlpHeaders))
    const attributes = attributesOf(settings)
    const resource = { serviceName, serviceVersion: version, attributes }
    const send = yield* makeSpanSender({ collector, resource: OtlpResource.make(resource), version })
    const metrics = OtlpMetrics.layer({
      url: collector.urlOf("/v1/metrics"),
      headers: collector.headers,
      resource,
      exportInterval: METRICS_INTERVAL,
      shutdownTimeout: SHUTDOWN_TIMEOUT
    })
    return Layer.merge(layerTracing({ send, share: shareOf(settings) }), metrics)
  })).pipe(
    Layer.provide(OtlpSerialization.layerJson),
    Layer.provide(layerCollectorClient)
  )

const METRICS_INTERVAL = "15 seconds"
const SHUTDOWN_TIMEOUT = "200 millis"

/** The instance id distinguishes the series of several processes. */
const attributesOf = ({ otelResourceAttributes }: TelemetrySettings) => ({
  "service.instance.id": randomUUID(),
  "process.pid": process.pid,
  "process.runtime.name": "Deno" in globalThis ? "deno" : "nodejs",
  ...otelResourceAttributes
})

const shareOf = ({ otelTracesSampler: sampler, otelTracesSamplerArg: share }: TelemetrySettings): number => {
  if (sampler.endsWith("always_on")) return 1
  return sampler.endsWith("always_off") ? 0 : share
}
