import { Effect } from "effect"
import { judged } from "../figure.ts"
import { ratioOf } from "../http/laps.ts"
import { startProgram } from "../measure/program.ts"
import { median } from "../measure/statistics.ts"

const main = new URL("../../../infrastructure/main.ts", import.meta.url)

/** A folder, its key, and a verification in it. */
export interface Place {
  readonly dataDir: string
  readonly masterKey: string
  readonly verificationId: string
}

/** A command of `sliptrail trail` that tells of a verification. */
export type Look = "show" | "at"

/** Milliseconds from the start of the command to its first line. */
const firstLine = (look: Look, { dataDir, masterKey, verificationId }: Place) =>
  Effect.scoped(Effect.gen(function* () {
    const moment = look === "at" ? [new Date().toISOString()] : []
    const started = performance.now()
    const program = yield* startProgram({
      script: main,
      args: ["trail", look, ...moment, "--verification", verificationId],
      env: { DATA_DIR: dataDir, MASTER_KEY: masterKey }
    })
    yield* program.said(/\n/u)
    return performance.now() - started
  }))

/** The first line about a verification in a long log, against the same in a log of one event. */
export const measureLook = Effect.fnUntraced(
  function* (look: Look, long: Place, short: Place, count: number, rounds: number) {
    const laps = { long: new Array<number>(), short: new Array<number>() }
    for (let round = 0; round <= rounds; round++) {
      const lap = {
        long: yield* firstLine(look, long),
        short: yield* firstLine(look, short)
      }
      // The first look builds the read models.
      if (round === 0) continue
      laps.long.push(lap.long)
      laps.short.push(lap.short)
    }
    return judged(
      {
        what: `trail ${look} among ${count.toLocaleString("en-US")} events, start to first line`,
        measured: `${Math.round(median(laps.long))} ms`,
        baseline: `${Math.round(median(laps.short))} ms among one`
      },
      ratioOf(laps.long, laps.short),
      { atMost: 1.5 }
    )
  }
)
