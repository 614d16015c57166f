import { Effect } from "effect"
import type { RecordReveal } from "../../domain/disclosure.ts"
import { isoTime } from "../../domain/time.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { disclosures } from "../../domain/events/aggregates.ts"
import { handleCommand } from "../events/handle-command.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { contextOf, type Operation } from "../provisioning/operator-command.ts"

/** Who is about to be shown whose personal data, and how it was asked for. */
export type Reveal = Omit<RecordReveal, "_tag" | "revealId" | "at">

/** Writes down that somebody is shown personal data. Nothing is shown before this has returned. */
export const recordReveal = Effect.fn("recordReveal")(function* (reveal: Reveal, operation: Operation) {
  const revealId = (yield* Identifiers).random()
  const context = yield* contextOf(operation)
  const command: RecordReveal = { _tag: "RecordReveal", revealId, ...reveal, at: isoTime(context.at) }
  yield* handleCommand(disclosures, streamOf.reveal(revealId), command, context)
})
