import { type Context, Effect, Layer, Metric } from "effect"
import { watchedGauge } from "./series.ts"

/** What is the same for as long as the process lives. */
export interface ProcessFacts {
  readonly version: string
  readonly roles: ReadonlyArray<string>
}

/** What this process is and uses. Names without `sliptrail_` are those under which every program tells the same. */
export const layerProcessMetrics = (facts: ProcessFacts): Layer.Layer<never> => Layer.effectDiscard(watch(facts))

const watch = Effect.fnUntraced(function* ({ roles, version }: ProcessFacts) {
  yield* watchedGauge(info, () => 1, { version, runtime, roles: roles.join(",") })
  yield* watchedGauge(startTime, () => startedAt)
  yield* watchedGauge(resident, () => process.memoryUsage.rss())
  yield* watchedGauge(heapUsed, () => process.memoryUsage().heapUsed)
  yield* watchedGauge(outsideHeap, () => process.memoryUsage().external)
  const context = yield* Effect.context<never>()
  yield* watchedCpu(context)
})

/** A counter that is asked like the gauges: the system counts. */
const watchedCpu = (context: Context.Context<never>) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Metric.registerUnsafe(cpu, context, {
        get: () => ({ count: cpuSeconds(), incremental: true }),
        update: () => {},
        modify: () => {}
      })
    ),
    ({ remove }) => Effect.sync(remove)
  )

const cpuSeconds = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1_000_000
}

const startedAt = Math.round((performance.timeOrigin ?? Date.now()) / 1_000)

const runtime = process.versions["deno"] === undefined
  ? `node ${process.versions.node}`
  : `deno ${process.versions["deno"]}`

const info = Metric.gauge("sliptrail_info", {
  description: "1, with the version, the runtime and the roles of this process"
})
const startTime = Metric.gauge("process_start_time_seconds", {
  description: "When this process began, in seconds since 1970"
})
const resident = Metric.gauge("process_resident_memory_bytes", { description: "Memory that this process holds" })
const heapUsed = Metric.gauge("sliptrail_heap_used_bytes", {
  description: "Memory of the main thread's heap that is in use"
})
const outsideHeap = Metric.gauge("sliptrail_external_memory_bytes", {
  description: "Memory of buffers and the like, outside of the heap"
})
const cpu = Metric.counter("process_cpu_seconds_total", {
  description: "Time that processors worked for this process",
  incremental: true
})
