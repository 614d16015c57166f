import { Effect } from "effect"
import { handleCommand } from "../events/handle-command.ts"
import { contextOf } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"
import { findOwn } from "../reading/verification-detail.ts"
import { sealNote } from "../sealing/sealed-data.ts"
import { notes, streamOf } from "../../domain/events/aggregates.ts"
import { parseId } from "../../domain/ids.ts"
import { isoTime } from "../../domain/time.ts"
import { notesOf } from "../reading/list-notes.ts"
import type { NoteView } from "../views/verification.ts"

/** What to write about which verification. */
export interface NewNote {
  /** Repeating a note with the same id adds it once. */
  readonly noteId: string
  /** In any case. */
  readonly verificationId: string
  readonly branchId: string
  /** 1 to 500 characters. */
  readonly text: string
}

/**
 * A note from the log; undefined when the verification has none with this id, or the id is of no verification. The caller
 * has checked that the branch wrote it.
 */
export const recallNote = Effect.fnUntraced(function* (verificationId: string, noteId: string) {
  const id = parseId(verificationId)
  if (id === undefined) return undefined
  return (yield* notesOf(id)).find((note) => note.noteId === noteId)
})

/**
 * Adds a note to a verification of the branch (docs/spec/http.md, "POST /v2/verifications/:verificationId/notes"). Fails
 * with `VerificationNotFound` for any other verification, and with `TooManyNotes` when it has the most that it can have.
 */
export const addNote = Effect.fn("addNote")(function* (
  { branchId, noteId, text, verificationId: id }: NewNote,
  ids: RequestIds
) {
  const { subject, verificationId } = yield* findOwn(id, branchId)
  const context = yield* contextOf(ids)
  const note = yield* sealNote(text, { verificationId, noteId, subject })
  const command = { _tag: "AddNote", noteId, verificationId, branchId, note, at: isoTime(context.at) } as const
  const { events } = yield* handleCommand(notes, streamOf.notes(verificationId), command, context)
  const earlier = events.length === 0 ? yield* recallNote(verificationId, noteId) : undefined
  const added: NoteView = { noteId, at: command.at, text, keyId: ids.actor.key ?? null }
  return earlier ?? added
})
