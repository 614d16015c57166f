import { assert, describe, it } from "../../../support/it.ts"
import { ConfigProvider, Effect, Redacted } from "effect"
import { inspect } from "node:util"
import { describeFailure } from "../../../../infrastructure/commands/cli/exit.ts"
import { readSettings } from "../../../../infrastructure/platform/settings/settings.ts"

const read = (env: Record<string, string>) =>
  Effect.provide(readSettings, ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))

/** The message for an operator who sets these values. */
const messageFor = (env: Record<string, string>) =>
  Effect.map(Effect.sandbox(Effect.flip(Effect.sandbox(read(env)))), (cause) => describeFailure(cause) ?? "")

describe("settings of traces and metrics", () => {
  it.effect("have no endpoint by default: nothing is sent", function* () {
    const settings = yield* read({})
    assert.isUndefined(settings.otlpEndpoint)
    assert.deepStrictEqual(
      [settings.otelServiceName, settings.otelTracesSampler, settings.otelTracesSamplerArg],
      ["sliptrail", "traceidratio", 1]
    )
  })

  it.effect.each(["http://127.0.0.1:4318", "https://otlp.example/of/shop/"])(
    "accept the endpoint %s",
    function* (endpoint) {
      const { otlpEndpoint } = yield* read({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
      assert.strictEqual(otlpEndpoint?.href, new URL(endpoint).href)
    }
  )

  it.effect.each(
    [
      ["collector:4317", /OTEL_EXPORTER_OTLP_ENDPOINT: .*http or https/u],
      ["grpc://127.0.0.1:4317", /OTEL_EXPORTER_OTLP_ENDPOINT: .*http or https/u],
      ["somewhere", /OTEL_EXPORTER_OTLP_ENDPOINT: /u],
      ["https://me:s3cret@otlp.example", /OTEL_EXPORTER_OTLP_ENDPOINT: .*OTEL_EXPORTER_OTLP_HEADERS/u],
      ["https://otlp.example/?key=s3cret", /OTEL_EXPORTER_OTLP_ENDPOINT: .*query/u]
    ] as const
  )("reject the endpoint %s with the reason", function* ([endpoint, why]) {
    const text = yield* messageFor({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
    assert.match(text, why)
    assert.notInclude(text, "s3cret")
  })

  it.effect("read headers in OpenTelemetry's format and never print them", function* () {
    const { otlpHeaders } = yield* read({
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20s3cret%3D%3D, x-tenant = shop,"
    })
    assert.isDefined(otlpHeaders)
    assert.notInclude(inspect(otlpHeaders) + JSON.stringify(otlpHeaders), "s3cret")
    assert.deepStrictEqual(otlpHeaders && Redacted.value(otlpHeaders), {
      "authorization": "Basic s3cret==",
      "x-tenant": "shop"
    })
  })

  it.effect.each(["s3cret", "=s3cret", "x-key=s3cret%", "x-key=s3cret%zz", "x key=s3cret"])(
    "reject the headers %s without printing them",
    function* (headers) {
      const text = yield* messageFor({ OTEL_EXPORTER_OTLP_HEADERS: headers })
      assert.match(text, /OTEL_EXPORTER_OTLP_HEADERS: Expected name=value/u)
      assert.notInclude(text, "s3cret")
    }
  )

  it.effect("read the share of traces and reject an invalid share", function* () {
    const { otelTracesSampler, otelTracesSamplerArg } = yield* read({
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.05"
    })
    assert.deepStrictEqual([otelTracesSampler, otelTracesSamplerArg], ["parentbased_traceidratio", 0.05])
    for (const share of ["1.1", "-0.1", "half", "NaN"]) {
      assert.include(yield* messageFor({ OTEL_TRACES_SAMPLER_ARG: share }), "OTEL_TRACES_SAMPLER_ARG")
    }
    assert.include(yield* messageFor({ OTEL_TRACES_SAMPLER: "sometimes" }), "OTEL_TRACES_SAMPLER")
  })
})
