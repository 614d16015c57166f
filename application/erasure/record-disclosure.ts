import { Effect } from "effect"
import type { RecordReveal } from "../../domain/disclosure.ts"
import { disclosures } from "../../domain/events/aggregates.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { isoTime } from "../../domain/time.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { handleCommand } from "../events/handle-command.ts"
import { contextOf, type Operation } from "../provisioning/operator-command.ts"

/** Who is about to see whose personal data, and the command that asked for it. */
export type Disclosure = Omit<RecordReveal, "_tag" | "revealId" | "at">

/** Records that a person is shown personal data. Show nothing before it returns. */
export const recordDisclosure = Effect.fn("recordReveal")(function* (disclosure: Disclosure, operation: Operation) {
  const revealId = (yield* Identifiers).random()
  const context = yield* contextOf(operation)
  const command: RecordReveal = { _tag: "RecordReveal", revealId, ...disclosure, at: isoTime(context.at) }
  yield* handleCommand(disclosures, streamOf.reveal(revealId), command, context)
})
