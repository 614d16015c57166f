import { Effect } from "effect"
import { BenchError, type Figure } from "../figure.ts"
import { measureLog } from "./log.ts"
import { measureProjector } from "./projector.ts"
import { measureQuota } from "./quota.ts"

/** Measures the embedded stores without HTTP. */
export const store: Figure = {
  name: "store",
  about: "The embedded stores in one process, compared with node:sqlite alone",
  run: ({ rounds }) =>
    Effect.all([measureLog(rounds), measureProjector(rounds), measureQuota(rounds)]).pipe(
      Effect.map((findings) => findings.flat()),
      Effect.mapError((error) => error instanceof BenchError ? error : new BenchError({ message: String(error) }))
    )
}
