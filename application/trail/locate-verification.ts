import { Effect, Schema } from "effect"
import { recordedVerification, viewVerification } from "../verification/verification-view.ts"
import { duplicatesModel, duplicatesTables, VerificationRow } from "../../projections/models/duplicates-rows.ts"
import { modelName } from "../../projections/engine/model-name.ts"
import { rowCaughtUp } from "../../projections/engine/caught-up.ts"

const model = modelName(duplicatesModel)
const decodeRow = Schema.decodeUnknownSync(VerificationRow)

/** A verification that found its slip, as it was answered then; undefined when there is none under that id. */
export const successOf = Effect.fnUntraced(function* (verificationId: string) {
  const row = yield* rowCaughtUp(model, duplicatesTables.verifications, verificationId)
  const stream = row === undefined ? "" : decodeRow(row).stream
  if (!stream.startsWith("slip-")) return undefined
  const placed = yield* recordedVerification(stream, verificationId)
  return placed === undefined ? undefined : yield* viewVerification(placed)
})
