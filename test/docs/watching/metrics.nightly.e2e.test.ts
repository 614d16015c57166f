import { assert, layer } from "../../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { join } from "node:path"
import { drawSandboxSlip } from "../../../infrastructure/adapters/banks/sandbox/slip-picture.ts"
import { startCallbackReceiver } from "../../support/callback-receiver.ts"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { startOtlpReceiver } from "../../support/otlp-receiver.ts"
import { type SpawnedService, spawnService } from "../../support/service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { alerts, dashboard, expressions, guide, runbooks } from "./operations.ts"
import { selectorsIn, seriesOf } from "./promql.ts"

/** The text of `/metrics` of a service after work of every kind. */
class Scraped extends Context.Service<Scraped, { readonly text: string }>()("test/Scraped") {}

/** Verifies found, duplicate, unknown and failing slips, by QR text, picture and URL, in both versions. */
const verifySome = Effect.fnUntraced(function* ({ call, verify }: SpawnedService, key: string) {
  const { payload } = newSlip()
  yield* verify(key, payload)
  yield* verify(key, payload)
  yield* verify(key, newSlip({ outcome: "not-found" }).payload)
  yield* verify(key, newSlip({ outcome: "down" }).payload)
  yield* verify(key, { url: "http://127.0.0.1:9/slip.png" })
  const form = new FormData()
  form.set("image", new Blob([(yield* drawSandboxSlip(newSlip())).slice()]))
  yield* verify(key, form)
  const again = { key, headers: { "idempotency-key": "once" }, body: { payload } }
  yield* call("POST", "/v2/verify/bank", again)
  yield* call("POST", "/v2/verify/bank", again)
  yield* call("GET", `/v1/verify?payload=${payload}`, { key })
  yield* call("GET", "/nowhere")
})

/** Enqueues jobs whose callbacks fail until their host is paused. */
const failCallbacks = Effect.fnUntraced(function* ({ call }: SpawnedService, key: string, callbackUrl: string) {
  const slips = Array.from({ length: 10 }, () => ({ payload: newSlip().payload }))
  const { status, text } = yield* call("POST", "/v2/verify/bank/batch", { key, body: { slips, callbackUrl } })
  assert.strictEqual(status, 202, text)
})

/** In a separate process, because metrics belong to a process. */
const layerScraped = Layer.effect(
  Scraped,
  Effect.gen(function* () {
    const collector = yield* startOtlpReceiver
    const receiver = yield* startCallbackReceiver(() => 500)
    const service = yield* spawnService(join(yield* temporaryFolder, "data"), {
      ...receiver.env,
      RATE_LIMIT: "1000",
      RATE_LIMIT_BURST: "1000",
      CALLBACK_RETRY_SCHEDULE: "50 millis",
      CHECKPOINT_EVENTS: "10",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url
    })
    const { mainBranch: { apiKey } } = yield* service.createService({ quota: 100 })
    yield* verifySome(service, apiKey)
    yield* failCallbacks(service, apiKey, receiver.url)
    const scrape = Effect.map(service.call("GET", "/metrics"), ({ text }) => text)
    const text = yield* eventually(scrape, (text) =>
      /^sliptrail_callback_circuit_open\{.*\} 1$/mu.test(text)
      && /^sliptrail_worker_open\{process="callback/mu.test(text)
      && /^sliptrail_projection_lag_seconds\{/mu.test(text))
    return Scraped.of({ text })
  })
)

layer.live(layerScraped)("the metrics of a service", (it) => {
  it.effect("include every metric, label and value of the alerts and the dashboard", function* () {
    const series = seriesOf((yield* Scraped).text)
    assert.isAbove(expressions.length, 60)
    for (const { expr, where } of expressions) {
      const selectors = selectorsIn(expr)
      assert.isNotEmpty(selectors, `${where} has a metric`)
      for (const { matchers, metric } of selectors) {
        const found = series.get(metric) ?? []
        assert.isNotEmpty(found, `${where}: ${metric}`)
        for (const { label, values } of matchers) {
          // Prometheus adds this label.
          if (label === "instance") continue
          const known = new Set(found.map((labels) => labels.get(label)))
          assert.isFalse(known.has(undefined), `${where}: ${metric} has ${label}`)
          for (const value of values) assert.isTrue(known.has(value), `${where}: ${metric}{${label}="${value}"}`)
        }
      }
    }
  })

  it.effect("have the names that runbooks and guide use", function* () {
    const { text } = yield* Scraped
    const families = new Set([...text.matchAll(/^# TYPE (\S+)/gmu)].map(([, name]) => name))
    for (
      const page of [
        guide,
        ...runbooks.values(),
        ...alerts.map(({ annotations }) => Object.values(annotations).join(" "))
      ]
    ) {
      for (const [name] of page.matchAll(/\bsliptrail_\w+/gu)) assert.isTrue(families.has(name), name)
    }
  })

  it.effect("are all in the dashboard", function* () {
    const shown = new Set(
      dashboard.panels.flatMap(({ targets = [] }) =>
        targets.flatMap(({ expr }) =>
          selectorsIn(expr).map(({ metric }) => metric.replace(/_(?:bucket|sum|count)$/u, ""))
        )
      )
    )
    const { text } = yield* Scraped
    for (const [, family = ""] of text.matchAll(/^# TYPE (\S+)/gmu)) {
      assert.isTrue(shown.has(family), family)
    }
  })

  it.effect("follow the Prometheus rules for names, units, types and descriptions", function* () {
    const { text } = yield* Scraped
    for (const [, name = "", type] of text.matchAll(/^# TYPE (\S+) (\S+)/gmu)) {
      assert.match(name, /^(?:sliptrail|process)_[a-z][a-z_]*[a-z]$/u)
      assert.strictEqual(name.endsWith("_total"), type === "counter", `${name} is a ${type}`)
      if (type === "histogram") assert.match(name, /_seconds$/u)
      assert.match(text, new RegExp(`^# HELP ${name} \\S.{10,}`, "mu"))
    }
  })

  it.effect("have few series and no text from callers", function* () {
    const { text } = yield* Scraped
    for (const [name, found] of seriesOf(text)) {
      if (!name.endsWith("_bucket")) assert.isBelow(found.length, 60, name)
      for (const labels of found) {
        for (const [label, value] of labels) {
          if (label !== "host") assert.match(value, /^[\w .,:/*+-]{1,60}$/u, `${name} ${label}`)
        }
      }
    }
    for (const secret of ["nowhere", "once", "slip.png"]) assert.notInclude(text, secret)
  })

  it.effect("count the requests and their outcomes", function* () {
    const { text } = yield* Scraped
    const value = (name: string, ...labels: ReadonlyArray<string>) =>
      Number(
        text.split("\n").find((line) => line.startsWith(name) && labels.every((label) => line.includes(label)))
          ?.split(" ").at(-1)
      )
    const verified = (outcome: string) => value("sliptrail_verifications_total", `of="request"`, `outcome="${outcome}"`)
    assert.deepStrictEqual(
      ["verified", "duplicate", "not_found", "bank_away", "picture_refused", "service_away", "failed"].map(verified),
      [2, 3, 1, 1, 1, 0, 0]
    )
    assert.strictEqual(value("sliptrail_idempotent_requests_total", `"done"`), 1)
    assert.strictEqual(value("sliptrail_idempotent_requests_total", `"replayed"`), 1)
    assert.strictEqual(value("sliptrail_pictures_total", `"slip"`), 1)
    assert.strictEqual(value("sliptrail_http_requests_total", `route="none"`, `status="404"`), 1)
    assert.strictEqual(value("sliptrail_http_errors_total", `code="API_SERVER_ERROR"`), 1)
    assert.strictEqual(value("sliptrail_http_unforeseen_total"), 0)
    assert.strictEqual(value("sliptrail_egress_operations_total", `"request"`, `outcome="unreachable"`), 1)
    assert.isAbove(value("sliptrail_quota_decisions_total", `"reserved"`), 12)
    assert.isAbove(value("sliptrail_rate_limit_decisions_total", `"admitted"`), 9)
    assert.isAbove(value("sliptrail_event_store_appends_total", `"appended"`), 30)
    assert.isAbove(value("sliptrail_checkpoints_signed_total"), 0)
    assert.strictEqual(value("sliptrail_ready"), 1)
    assert.isAbove(value("process_resident_memory_bytes"), 50e6)
    assert.isAbove(value("sliptrail_event_loop_delay_seconds_count"), 1)
    assert.isAbove(value("sliptrail_disk_free_bytes"), 1e6)
  })
})
