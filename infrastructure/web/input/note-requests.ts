import { NoteRequest } from "../api/requests/slips.ts"
import { decodeFields } from "./decode.ts"

export const decodeNote = decodeFields(NoteRequest)
