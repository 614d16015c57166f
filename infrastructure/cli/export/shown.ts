import { Effect } from "effect"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import type { Told } from "../../../application/trail/export-lines.ts"
import { maskedParties, openedParties } from "../../../application/trail/parties.ts"
import { opened } from "../../../application/trail/trail-opened.ts"

/** As it stands in the log. */
export const sealed = (event: RecordedEvent) => Effect.succeed<Told>({ event, parties: undefined })

/** As it stands in the log, and beside it who paid whom, masked. */
export const masked = (event: RecordedEvent) =>
  Effect.map(maskedParties(event), (parties): Told => ({ event, parties }))

/** In the clear; a table has who paid whom in cells of their own too. */
export const revealed = (inCells: boolean) =>
  Effect.fnUntraced(function* (event: RecordedEvent) {
    const told: Told = { event: yield* opened(event), parties: inCells ? yield* openedParties(event) : undefined }
    return told
  })
