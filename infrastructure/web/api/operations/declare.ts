import type { Body, Examples, Operation, RequiredScopes, Route, Wire } from "../operation.ts"

/** What an operation says besides its method, its path and its tag. */
type Declaration = Omit<Operation, "method" | "path" | "tag"> & { readonly scopes?: RequiredScopes }

/** Refuses fields that no operation has, such as a misspelled optional one. */
type Known<Own> = Own & { readonly [Field in Exclude<keyof Own, keyof Declaration>]: never }

const declare =
  <const Method extends Route["method"]>(method: Method, tag: string) =>
  <const Path extends Route["path"], const Own extends Declaration>(path: Path, own: Known<Own>) => ({
    method,
    path,
    tag,
    ...own
  })

/** Declares operations of one section of the document, by their methods. */
export const operationsOf = (tag: string) => ({
  get: declare("GET", tag),
  post: declare("POST", tag),
  put: declare("PUT", tag),
  patch: declare("PATCH", tag),
  remove: declare("DELETE", tag)
})

/** The success of an operation with this status. */
export const answer =
  <const Status extends 200 | 201 | 202>(status: Status) =>
  <const Data extends Wire>(data: Data, message: string, examples: Examples) => ({ status, data, message, examples })

export const ok = answer(200)
export const created = answer(201)
export const accepted = answer(202)

/** A body without a file, as JSON or as application/x-www-form-urlencoded. */
export const fields = <const Fields extends Wire>(schema: Fields, examples: Examples) =>
  ({ json: schema, urlencoded: schema, examples }) satisfies Body

/** A body that may be absent, and whose fields are all optional. */
export const optionalFields = <const Fields extends Wire>(schema: Fields, examples: Examples) =>
  ({ ...fields(schema, examples), isOptional: true }) satisfies Body
