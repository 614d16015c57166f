import { Effect, Schema, SchemaIssue } from "effect"
import { type ApiError, invalid, type Issue } from "./api/api-error.ts"
import type { Fields } from "./body.ts"

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const toIssues = (error: Schema.SchemaError): ReadonlyArray<Issue> =>
  formatIssues(error.issue).issues.map(({ message, path }) => ({ path: (path ?? []).map(String).join("."), message }))

/** Judges fields by a schema; everything that is wrong is told at once, as VALIDATION_ERROR with issues. */
export const decodeFields = <S extends Schema.Codec<unknown, unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return (fields: Fields): Effect.Effect<S["Type"], ApiError> =>
    Effect.mapError(decode(fields), (error) => invalid(...toIssues(error)))
}

/** Text of 1 to `longest` characters. */
export const text = (longest: number) => Schema.String.check(Schema.isBetweenLength(1, longest))
