import { Effect } from "effect"
import { recordedVerification, viewVerification } from "../verification/verification-view.ts"
import { verificationRows } from "../../projections/models/duplicates.ts"

/** A verification that found its slip, as it was answered then; undefined when there is none under that id. */
export const successOf = Effect.fnUntraced(function* (verificationId: string) {
  const stream = (yield* verificationRows.getCaughtUp(verificationId))?.stream
  if (!stream?.startsWith("slip-")) return undefined
  const placed = yield* recordedVerification(stream, verificationId)
  return placed === undefined ? undefined : yield* viewVerification(placed)
})
