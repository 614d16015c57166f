import { Effect } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { SlipReader } from "../../ports/slip-reader.ts"
import { layerSlipReader } from "../../infrastructure/adapters/pictures/slip-reader.ts"
import type { LoopReport, LoopRequest } from "./messages.ts"
import { readHere } from "./this-thread.ts"

// Reads two pictures at a time without pause and measures the delay of its own event loop.

/** Milliseconds between samples. Time beyond this counts as delay. */
const RESOLUTION = 1
const LANES = 2

type Read = (picture: Uint8Array) => Promise<unknown>

const measure = async ({ millis, pictures, where }: LoopRequest, readByWorkers: Read): Promise<LoopReport> => {
  const read: Read = where === "here" ? readHere : readByWorkers
  // Starts the workers and compiles the code before the measurement.
  if (where !== "idle") await Promise.all(pictures.slice(0, 2 * LANES).map(read))

  const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
  delay.enable()
  const end = performance.now() + millis
  let count = 0
  const lane = async (first: number): Promise<void> => {
    for (let index = first; performance.now() < end; index += LANES) {
      const picture = pictures[index % pictures.length]
      if (picture !== undefined) await read(picture)
      count++
    }
  }
  if (where === "idle") await new Promise((resolve) => setTimeout(resolve, millis))
  else await Promise.all(Array.from({ length: LANES }, (_, first) => lane(first)))
  delay.disable()
  const delayMillis = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - RESOLUTION)
  return {
    p50: delayMillis(delay.percentile(50)),
    p99: delayMillis(delay.percentile(99)),
    max: delayMillis(delay.max),
    read: count
  }
}

const serve = Effect.gen(function* () {
  const reader = yield* SlipReader
  const readByWorkers: Read = (picture) => Effect.runPromiseExit(reader.read(picture, "bench"))
  process.on("message", (request: LoopRequest) => {
    void measure(request, readByWorkers).then((report) => process.send?.(report))
  })
  return yield* Effect.never
})

await Effect.runPromise(serve.pipe(Effect.provide(layerSlipReader({ reader: "native", workers: LANES }))))
