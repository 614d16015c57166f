import { Effect } from "effect"
import { checkedFinding, type Figure, infoFinding } from "../figure.ts"
import { startProgram } from "../measure/program.ts"
import { slipPictures } from "./folder.ts"
import type { LoopReport, LoopRequest } from "./messages.ts"

const MILLIS = 5_000

/** Measures the delay of the event loop while pictures are decoded. */
export const loop: Figure = {
  name: "loop",
  about: "Delay of the event loop while two pictures are decoded without pause",
  run: Effect.fnUntraced(function* (options) {
    const { ordinary: pictures } = yield* slipPictures(options)
    const program = yield* startProgram({ script: new URL("./loop-process.ts", import.meta.url), cloned: true })
    const measure = (where: LoopRequest["where"]) =>
      program.request<LoopReport>({ where, pictures, millis: MILLIS } satisfies LoopRequest)
    const idle = yield* measure("idle")
    const workers = yield* measure("workers")
    const here = yield* measure("here")
    return [
      checkedFinding(
        { what: "p99 with two workers", measured: summary(workers), baseline: `idle: ${summary(idle)}` },
        workers.p99,
        { atMost: 20 },
        "ms"
      ),
      infoFinding(
        {
          what: "compared with decoding on the main thread (p99)",
          measured: summary(workers),
          baseline: summary(here)
        },
        workers.p99 / here.p99
      )
    ]
  })
}

const summary = ({ max, p50, p99, read }: LoopReport): string =>
  `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, max ${max.toFixed(0)} ms, ${read} pictures read`
