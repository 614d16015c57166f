import { Effect, Schema, SchemaTransformation } from "effect"
import { ExpectedError } from "../../domain/expected-error.ts"
import { faultsOf } from "./issue-messages.ts"
import { readBoolean } from "./read-boolean.ts"

/** Fields of a request's body or query, or flags of a command. */
export type Fields = Readonly<Record<string, unknown>>

/** A fault of one field. `path` is empty for the whole input. */
export interface Issue {
  readonly path: string
  readonly message: string
}

/** The input does not have the expected form. */
export class InvalidInput extends ExpectedError("InvalidInput")<{ readonly issues: ReadonlyArray<Issue> }> {}

export const invalid = (...issues: ReadonlyArray<Issue>): InvalidInput => new InvalidInput({ issues })

const toIssues = (error: Schema.SchemaError): ReadonlyArray<Issue> =>
  faultsOf(error.issue).map(({ message, path }) => ({ path: path.map(String).join("."), message }))

const decodeWith = <S extends Schema.Codec<unknown, unknown>>(schema: S, onExcessProperty: "ignore" | "error") => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty })
  return (fields: Fields): Effect.Effect<S["Type"], InvalidInput> =>
    Effect.mapError(decode(fields), (error) => invalid(...toIssues(error)))
}

/** Decodes fields by a schema. The error has an issue for every field that is wrong. Unknown fields are ignored. */
export const decodeFields = <S extends Schema.Codec<unknown, unknown>>(schema: S) => decodeWith(schema, "ignore")

/** `decodeFields` where an unknown field is wrong, at any depth. */
export const strictFields = <S extends Schema.Codec<unknown, unknown>>(schema: S) => decodeWith(schema, "error")

/** UTF-8 has no half of a surrogate pair: stored and read again, the text would differ from the one in the answer. */
const isWhole = Schema.makeFilter(
  (value: string) =>
    !/\p{Surrogate}/u.test(value) || "Expected whole characters: the text has half of a surrogate pair",
  { toJsonSchema: () => ({}) }
)

const hasLength = (max: number, unit: "characters" | "items") =>
  Schema.isBetweenLength(1, max, { expected: `1 to ${max} ${unit}` })

/** Checks that a text has 1 to `max` characters. */
export const isTextUpTo = (max: number) => hasLength(max, "characters")

/** Checks that an array has 1 to `max` items. */
export const isArrayUpTo = (max: number) => hasLength(max, "items")

/** Text of 1 to `maxLength` characters. */
export const text = (maxLength: number) => Schema.String.check(isTextUpTo(maxLength), isWhole)

/** A boolean of a query (docs/spec/http.md, "Booleans"). OpenAPI documents have its usual texts only. */
export const BooleanText = Schema.String.check(
  Schema.makeFilter((value: string) => readBoolean(value) !== undefined || "Expected true or false", {
    toJsonSchema: () => ({ enum: ["true", "false"] })
  })
).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({
      decode: (value) => readBoolean(value) === true,
      encode: (value) => value ? "true" : "false"
    })
  )
)
