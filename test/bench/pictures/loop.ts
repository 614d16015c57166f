import { Effect } from "effect"
import { type Figure, judged, told } from "../figure.ts"
import { startProgram } from "../measure/program.ts"
import { slipPictures } from "./folder.ts"
import type { LoopReport, LoopRequest } from "./messages.ts"

const MILLIS = 5_000

/** How late the event loop of a serving process comes while pictures are decoded. */
export const loop: Figure = {
  name: "loop",
  about: "Delay of the event loop while two pictures are decoded without pause",
  run: Effect.fnUntraced(function* (options) {
    const { ordinary: pictures } = yield* slipPictures(options)
    const program = yield* startProgram({ script: new URL("./loop-process.ts", import.meta.url), cloned: true })
    const ask = (where: LoopRequest["where"]) =>
      program.ask<LoopReport>({ where, pictures, millis: MILLIS } satisfies LoopRequest)
    const idle = yield* ask("idle")
    const workers = yield* ask("workers")
    const here = yield* ask("here")
    return [
      judged(
        { what: "p99 with two workers", measured: summary(workers), baseline: `idle: ${summary(idle)}` },
        workers.p99,
        { atMost: 20 },
        "ms"
      ),
      told(
        { what: "to decoding in its own thread", measured: summary(workers), baseline: summary(here) },
        workers.p99 / here.p99
      )
    ]
  })
}

const summary = ({ max, p50, p99, read }: LoopReport): string =>
  `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, max ${max.toFixed(0)} ms, ${read} read`
