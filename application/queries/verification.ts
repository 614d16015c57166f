import { Effect, Schema } from "effect"
import { recordedVerification, tellVerification } from "../commands/tell-verification.ts"
import { duplicatesModel, duplicatesTables, VerificationRow } from "../models/duplicates.ts"
import { modelName } from "../models/model-name.ts"
import { rowCaughtUp } from "./caught-up.ts"

const model = modelName(duplicatesModel)
const decodeRow = Schema.decodeUnknownSync(VerificationRow)

/** A verification that found its slip, as it was answered then; undefined when there is none under that id. */
export const successOf = Effect.fnUntraced(function*(verificationId: string) {
  const row = yield* rowCaughtUp(model, duplicatesTables.verifications, verificationId)
  const stream = row === undefined ? "" : decodeRow(row).stream
  if (!stream.startsWith("slip-")) return undefined
  const placed = yield* recordedVerification(stream, verificationId)
  return placed === undefined ? undefined : yield* tellVerification(placed)
})
