import { Result, Schema } from "effect"
import { type Complete, type Decider, eventsOf } from "./decider.ts"
import { Sealed } from "./sealed.ts"

/**
 * What people of a branch wrote about a verification. The stream, `note-{verificationId}`, has one event for each note.
 * Notes are separate from the verification: they change neither its verdict nor its stream.
 */

// These names are the storage format: add, never edit.
export const NoteEvent = Schema.TaggedUnion({
  NoteAdded: {
    noteId: Schema.String,
    verificationId: Schema.String,
    branchId: Schema.String,
    note: Sealed,
    /** ISO 8601, UTC. */
    at: Schema.String
  }
})
export type NoteEvent = typeof NoteEvent.Type

/** Notes that a verification can have: more are a misuse of the log. */
export const MAX_NOTES = 100

/** Ids of the notes of one verification. */
export type NoteState = ReadonlyArray<string>

export type AddNote = { readonly _tag: "AddNote" } & Omit<NoteEvent, "_tag">

/** The verification has `MAX_NOTES` notes. */
export class TooManyNotes extends Schema.TaggedError<TooManyNotes>()("TooManyNotes", {}) {}

const make = eventsOf(NoteEvent)

const decide = (
  { _tag, ...note }: AddNote,
  state: NoteState
): Result.Result<ReadonlyArray<Complete<NoteEvent>>, TooManyNotes> => {
  if (state.includes(note.noteId)) return Result.succeed([])
  return state.length < MAX_NOTES ? Result.succeed([make.NoteAdded(note)]) : Result.fail(new TooManyNotes())
}

export const verificationNote: Decider<AddNote, NoteState, NoteEvent, TooManyNotes> = {
  initialState: [],
  evolve: (state, { noteId }) => [...state, noteId],
  decide,
  isTerminal: () => false
}
