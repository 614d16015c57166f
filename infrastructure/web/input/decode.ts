import type { Issue } from "../api/failures.ts"
import { Effect, Schema } from "effect"
import { ExpectedError } from "../../../domain/expected-error.ts"
import { faultsOf } from "./issue-messages.ts"

/** Fields of a request's body or query, or flags of a command. */
export type Fields = Readonly<Record<string, unknown>>

/** The input does not have the expected form. */
export class InvalidInput extends ExpectedError("InvalidInput")<{ readonly issues: ReadonlyArray<Issue> }> {}

export const invalid = (...issues: ReadonlyArray<Issue>): InvalidInput => new InvalidInput({ issues })

/** The same issues at the fields of a form or the flags of a command. */
export const renamed = ({ issues }: InvalidInput, rename: (path: string) => string): InvalidInput =>
  invalid(...issues.map(({ message, path }) => ({ path: rename(path), message })))

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
