import { Effect } from "effect"
import { checkedFinding } from "../figure.ts"
import { ratioOf } from "../http/laps.ts"
import { startProgram } from "../measure/program.ts"
import { median } from "../measure/statistics.ts"

const main = new URL("../../infrastructure/main.ts", import.meta.url)

/** A data folder with its master key and the id of a verification in its log. */
export interface LogFolder {
  readonly dataDir: string
  readonly masterKey: string
  readonly verificationId: string
}

/** A subcommand of `sliptrail trail` that shows a verification. */
export type TrailCommand = "show" | "at"

/** Milliseconds from the start of the command to its first line. */
const firstLine = (command: TrailCommand, { dataDir, masterKey, verificationId }: LogFolder) =>
  Effect.scoped(Effect.gen(function* () {
    const moment = command === "at" ? [new Date().toISOString()] : []
    const started = performance.now()
    const program = yield* startProgram({
      script: main,
      args: ["trail", command, ...moment, "--verification", verificationId],
      env: { DATA_DIR: dataDir, MASTER_KEY: masterKey }
    })
    yield* program.waitForOutput(/\n/u)
    return performance.now() - started
  }))

/** Compares the time to the first line about a verification in a long log with that in a log of one event. */
export const measureFirstLine = Effect.fnUntraced(
  function* (command: TrailCommand, long: LogFolder, short: LogFolder, count: number, rounds: number) {
    const laps = { long: new Array<number>(), short: new Array<number>() }
    for (let round = 0; round <= rounds; round++) {
      const lap = {
        long: yield* firstLine(command, long),
        short: yield* firstLine(command, short)
      }
      // The first round builds the read models.
      if (round === 0) continue
      laps.long.push(lap.long)
      laps.short.push(lap.short)
    }
    return checkedFinding(
      {
        what: `trail ${command}, ${count.toLocaleString("en-US")} events, start to first line`,
        measured: `${Math.round(median(laps.long))} ms`,
        baseline: `${Math.round(median(laps.short))} ms with one event`
      },
      ratioOf(laps.long, laps.short),
      { atMost: 1.5 }
    )
  }
)
