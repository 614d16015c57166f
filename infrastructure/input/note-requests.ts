import { Schema, SchemaTransformation } from "effect"
import { decodeFields, text } from "./decode.ts"

/** The body of a request for a note (docs/spec/http.md, "POST /v2/verifications/:verificationId/notes"). */
export const NoteRequest = Schema.Struct({
  text: Schema.String.annotate({ description: "1 to 500 characters, without the spaces around them." }).pipe(
    Schema.decodeTo(text(500), SchemaTransformation.trim())
  )
}).annotate({ identifier: "NoteRequest" })

export const decodeNote = decodeFields(NoteRequest)
