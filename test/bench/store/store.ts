import { Effect } from "effect"
import { BenchError, type Figure } from "../figure.ts"
import { measureLog } from "./log.ts"
import { measureProjector } from "./projector.ts"
import { measureQuota } from "./quota.ts"

/** The embedded engines by themselves. */
export const store: Figure = {
  name: "store",
  about: "The embedded engines in one process, against node:sqlite by itself",
  run: ({ rounds }) =>
    Effect.all([measureLog(rounds), measureProjector(rounds), measureQuota(rounds)]).pipe(
      Effect.map((findings) => findings.flat()),
      Effect.mapError((error) => error instanceof BenchError ? error : new BenchError({ message: String(error) }))
    )
}
