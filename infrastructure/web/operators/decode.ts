import { Effect } from "effect"
import type { Operation } from "../api/operation.ts"
import { decodeFields, type Fields, type InvalidInput } from "../input/decode.ts"
import { type OperationName, operations } from "./operations.ts"

type Decode = (fields: Fields) => Effect.Effect<unknown, InvalidInput>

/** What decodes the requests of an operation. */
interface Decoding extends Pick<Operation, "path" | "body" | "query"> {
  readonly decodeBody?: Decode
  readonly decodeFilter?: Decode
}

const present = (fields: object = {}): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Decodes the query and the body of a request as its operation declares. Fields that are undefined are absent. */
export const decodeRequest = Effect.fnUntraced(function* (
  request: { readonly name: OperationName; readonly query?: object; readonly body?: object }
) {
  const { body, decodeBody, decodeFilter, query }: Decoding = operations[request.name]
  const readQuery = decodeFilter ?? (query === undefined ? undefined : decodeFields(query))
  const readBody = decodeBody ?? (body === undefined ? undefined : decodeFields(body.json))
  return {
    query: yield* readQuery?.(present(request.query)) ?? Effect.undefined,
    body: yield* readBody?.(present(request.body)) ?? Effect.undefined
  }
})
