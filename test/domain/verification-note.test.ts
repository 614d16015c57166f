import { describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { type AddNote, MAX_NOTES, NoteEvent, verificationNote } from "../../domain/verification-note.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const note = {
  noteId: "n-1",
  verificationId: "v-1",
  branchId: "b-1",
  note: { k: "key", n: "nonce", c: "text" },
  at: "2026-11-21T08:45:00.000Z"
} as const
const add: AddNote = { _tag: "AddNote", ...note }
const added: NoteEvent = { _tag: "NoteAdded", ...note }

describe("the notes of a verification", () => {
  it("are added one after the other", () => {
    given(verificationNote).when(add).then(added)
    given(verificationNote, added).when({ ...add, noteId: "n-2" }).then({ ...added, noteId: "n-2" })
  })

  it("are added once for each id", () => {
    given(verificationNote, added).when(add).thenNothing()
  })

  it("are limited in number, and a repeated one is still no failure", () => {
    const most = Array.from({ length: MAX_NOTES }, (_, index): NoteEvent => ({ ...added, noteId: `n-${index}` }))
    given(verificationNote, ...most).when({ ...add, noteId: "another" }).thenRejected("TooManyNotes")
    given(verificationNote, ...most).when(add).thenNothing()
    given(verificationNote, ...most.slice(1)).when({ ...add, noteId: "another" }).then({ ...added, noteId: "another" })
  })
})

describe("any notes", () => {
  const ids = Arbitrary.schema(Schema.Literals(["n-1", "n-2", "n-3"]))
  const commands = Arbitrary.map(ids, (noteId): AddNote => ({ ...add, noteId }))
  itObeysTheLaws(verificationNote, NoteEvent, commands)
})
