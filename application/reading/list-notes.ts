import { Effect } from "effect"
import { notes, streamOf } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import type { NoteView } from "../views/verification.ts"
import { openNote } from "../sealing/sealed-data.ts"

const viewOf = Effect.fnUntraced(function* (recorded: RecordedEvent) {
  const { at, note, noteId } = notes.codec.decode(recorded)
  const { key } = recorded.metadata.actor
  return { noteId, at, text: (yield* openNote(note)) ?? null, keyId: key ?? null } satisfies NoteView
})

/** The notes of a verification, the oldest first. The caller has checked that the verification is the branch's. */
export const notesOf = Effect.fnUntraced(function* (verificationId: string) {
  const { readStream } = yield* EventStore
  return yield* Effect.forEach(yield* readStream(streamOf.notes(verificationId)), viewOf)
})
