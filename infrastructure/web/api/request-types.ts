import type { Effect } from "effect"

/** The names of the parameters of a path, such as `id` and `keyId` of `/branches/:id/keys/:keyId`. */
export type ParamName<Path> = Path extends `${string}:${infer Name}/${infer Rest}` ? Name | ParamName<Rest>
  : Path extends `${string}:${infer Name}` ? Name
  : never

/** The parameters of an operation's path. */
export type ParamsOf<Op extends { readonly path: string }> = Readonly<Record<ParamName<Op["path"]>, string>>

type Decoded<Decode> = Decode extends (input: never) => Effect.Effect<infer A, infer _E, infer _R> ? A : never

/** The decoded query of an operation. */
export type QueryOf<Op> = Op extends { readonly decodeFilter: infer Decode } ? Decoded<Decode>
  : Op extends { readonly decodeQuery: infer Decode } ? Decoded<Decode>
  : Op extends { readonly query: { readonly Type: infer A } } ? A
  : undefined

/** The decoded body of an operation. */
export type BodyOf<Op> = Op extends { readonly decodeBody: infer Decode } ? Decoded<Decode>
  : Op extends { readonly body: { readonly json: { readonly Type: infer A } } } ? A
  : undefined
