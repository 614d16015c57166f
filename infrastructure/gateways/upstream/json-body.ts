import { Option, Schema } from "effect"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The JSON of a body, behind a byte order mark if there is one; undefined where it is none. */
export const readJson = (text: string): unknown => Option.getOrUndefined(decode(text.replace(/^\uFEFF/u, "")))
