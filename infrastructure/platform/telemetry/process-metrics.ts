import { type Context, Effect, Layer, Metric } from "effect"
import { readdirSync, statfsSync, statSync } from "node:fs"
import { join } from "node:path"
import { observableGauge, secondsRecorder } from "./metrics.ts"

/** Constant facts about the process. */
export interface ProcessFacts {
  readonly version: string
  readonly roles: ReadonlyArray<string>
}

/** Metrics of this process. Names without `sliptrail_` follow the conventions of Prometheus. */
export const layerProcessMetrics = (facts: ProcessFacts): Layer.Layer<never> => Layer.effectDiscard(register(facts))

const register = Effect.fnUntraced(function* ({ roles, version }: ProcessFacts) {
  yield* observableGauge(info, () => 1, { version, runtime, roles: roles.join(",") })
  yield* observableGauge(startTime, () => startedAt)
  yield* observableGauge(resident, () => process.memoryUsage.rss())
  yield* observableGauge(heapUsed, () => process.memoryUsage().heapUsed)
  yield* observableGauge(outsideHeap, () => process.memoryUsage().external)
  const context = yield* Effect.context<never>()
  yield* observableCpu(context)
})

/** Registers a counter whose value is read from the system at each export. */
const observableCpu = (context: Context.Context<never>) =>
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
  description: "1, with version, runtime and roles of this process as labels"
})
const startTime = Metric.gauge("process_start_time_seconds", {
  description: "Start time of this process in seconds since 1970"
})
const resident = Metric.gauge("process_resident_memory_bytes", { description: "Resident memory of this process" })
const heapUsed = Metric.gauge("sliptrail_heap_used_bytes", {
  description: "Used heap of the main thread"
})
const outsideHeap = Metric.gauge("sliptrail_external_memory_bytes", {
  description: "Memory outside the heap, such as buffers"
})
const cpu = Metric.counter("process_cpu_seconds_total", {
  description: "Processor time of this process",
  incremental: true
})

/**
 * Measures the delay of the event loop with a timer of 100 ms. The sum of the delays in a second is the share of time in
 * which the process could not answer. A single long pause is visible at any export interval.
 */
export const layerEventLoopMetrics: Layer.Layer<never> = Layer.effectDiscard(Effect.gen(function* () {
  const record = yield* secondsRecorder(delays)
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      let due = performance.now() + INTERVAL_MILLIS
      const timer = setInterval(() => {
        const now = performance.now()
        record(Math.max(0, now - due) / 1_000)
        due = now + INTERVAL_MILLIS
      }, INTERVAL_MILLIS)
      // The timer must not keep the process running.
      timer.unref()
      return timer
    }),
    (timer) => Effect.sync(() => clearInterval(timer))
  )
}))

const INTERVAL_MILLIS = 100

const delays = Metric.histogram("sliptrail_event_loop_delay_seconds", {
  description: "Delay of a timer with an interval of 100 ms",
  boundaries: [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

/** Free space on the disk of a folder, and the size of its files. A value that cannot be read is NaN. */
export const layerDiskMetrics = (folder: string): Layer.Layer<never> =>
  Layer.effectDiscard(Effect.andThen(
    observableGauge(free, () =>
      orNaN(() => {
        const { bavail, bsize } = statfsSync(folder)
        return bavail * bsize
      })),
    observableGauge(used, () =>
      orNaN(() =>
        readdirSync(folder, { withFileTypes: true })
          .filter((entry) => entry.isFile())
          .reduce((total, { name }) => total + statSync(join(folder, name)).size, 0)
      ))
  ))

const orNaN = (read: () => number): number => {
  try {
    return read()
  } catch {
    // A file can disappear while the folder is read. An exception would fail the export of all metrics.
    return Number.NaN
  }
}

const free = Metric.gauge("sliptrail_disk_free_bytes", { description: "Free space on the disk of DATA_DIR" })
const used = Metric.gauge("sliptrail_data_folder_bytes", { description: "Size of the files in DATA_DIR" })
