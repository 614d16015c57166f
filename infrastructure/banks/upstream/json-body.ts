import { Option, Schema } from "effect"

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/** The JSON of a body, behind a byte order mark if there is one; undefined where it is none. */
export const readJson = (text: string): unknown => Option.getOrUndefined(decode(text.replace(/^\uFEFF/u, "")))

/** Makes the function that reads a body as JSON of a shape; it gives undefined where the body is something else. */
export const bodyReader = <A>(shape: Schema.Decoder<A>) => {
  const decodeShape = Schema.decodeUnknownOption(shape)
  return (text: string): A | undefined => Option.getOrUndefined(decodeShape(readJson(text)))
}
