import { Effect } from "effect"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { BenchError, checkedFinding, type Figure, formatNumber, infoFinding } from "../figure.ts"
import { ratioOf } from "../http/laps.ts"
import { startProgram } from "../measure/program.ts"
import { peakMegabytes, resetPeak, residentMegabytes } from "../measure/usage.ts"
import { rate } from "../store/log.ts"
import { fillSigned } from "./filled-log.ts"
import type { Task, TaskReport } from "./messages.ts"

/** How much memory may rise while a log of any length is verified. */
const MAX_MEGABYTES = 120

/** Measures the speed and memory of verifying a whole log. */
export const proof: Figure = {
  name: "proof",
  about: "trail verify on a signed log, compared with bare SHA-256 over the same bytes",
  run: Effect.fnUntraced(function* ({ events, rounds }) {
    const folder = yield* temporaryFolder
    yield* Effect.mapError(fillSigned(folder, events), (error) => new BenchError({ message: String(error) }))
    const program = yield* startProgram({ script: new URL("./examine-process.ts", import.meta.url), args: [folder] })
    const run = Effect.fnUntraced(function* (task: Task["task"]) {
      const report = yield* program.request<TaskReport>({ task } satisfies Task)
      if (!report.isWhole) return yield* new BenchError({ message: "the log is not intact" })
      return report.events / report.millis * 1_000
    })
    // The first round warms up.
    yield* run("hash")
    yield* run("verify")
    const before = residentMegabytes(program.pid)
    resetPeak(program.pid)
    const verified: Array<number> = []
    for (let round = 0; round < rounds; round++) verified.push(yield* run("verify"))
    const raised = peakMegabytes(program.pid) - before
    const hashed: Array<number> = []
    for (let round = 0; round < rounds; round++) hashed.push(yield* run("hash"))
    return [
      infoFinding(
        { what: "events verified", measured: rate(verified), baseline: `${rate(hashed)} node:sqlite and SHA-256` },
        ratioOf(verified, hashed)
      ),
      checkedFinding(
        {
          what: `memory added by ${events.toLocaleString("en-US")} events`,
          measured: `to ${formatNumber(before + raised)} MB`
        },
        raised,
        { atMost: MAX_MEGABYTES },
        "MB"
      )
    ]
  })
}
