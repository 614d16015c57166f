import type { Effect, Scope } from "effect"
import type { adminOperations } from "../api/operations/admin.ts"
import type { ParamName } from "../http/operation-endpoint.ts"
import type { CommandFailed } from "./exit.ts"

type Operations = typeof adminOperations

/** The id of an operation of the admin API. */
export type OperationName = keyof Operations

/** The data of an operation's answer, as declared. */
export type DataOf<Name extends OperationName> = Operations[Name]["success"]["data"]["Type"]

/** What a request consists of. The declaration of the operation says what is allowed. */
export interface RequestParts {
  readonly name: OperationName
  readonly params?: Readonly<Record<string, string>>
  readonly query?: object
  readonly body?: object
  /** Fields that are arguments of the command, without a flag of their own. */
  readonly args?: ReadonlyArray<string>
  /** Whether the answer can take minutes: there is no time limit. */
  readonly isLong?: boolean
}

/** Undefined fields are not sent. */
export type Given<Fields> = { readonly [Name in keyof Fields]?: Fields[Name] | undefined }

interface PageFields {
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
}

type ParamsOf<Op> = Op extends { readonly path: infer Path }
  ? [ParamName<Path>] extends [never] ? {} : { readonly params: Readonly<Record<ParamName<Path>, string>> }
  : {}

type QueryOf<Op> =
  & (Op extends { readonly query: { readonly Encoded: infer Fields } } ? Given<Fields> : {})
  & (Op extends { readonly isPaged: true } ? PageFields : {})

type BodyOf<Op> = Op extends { readonly body: { readonly json: { readonly Encoded: infer Fields } } }
  ? { readonly body: Given<Fields> }
  : {}

/** A request to an operation of the admin API, as it is sent. */
export type Request<Name extends OperationName> =
  & RequestParts
  & { readonly name: Name; readonly query?: QueryOf<Operations[Name]> }
  & ParamsOf<Operations[Name]>
  & BodyOf<Operations[Name]>

/** Calls operations of the admin API of one service. */
export type Call = <Name extends OperationName>(request: Request<Name>) => Effect.Effect<DataOf<Name>, CommandFailed>

/** The id of an operation whose answer is a file. */
type FileOperationName = {
  [Name in OperationName]: Operations[Name]["success"] extends { readonly files: object } ? Name : never
}[OperationName]

/** Reads the next part of a file; undefined at its end. */
export type ReadPart = Effect.Effect<Uint8Array | undefined, CommandFailed>

/** Asks one service for a file. It arrives as it is read, until the scope closes. */
export type OpenFile = <Name extends FileOperationName>(
  request: Request<Name>
) => Effect.Effect<ReadPart, CommandFailed, Scope.Scope>

export const NOT_VISIBLE =
  "The change is stored. Requests see it when a running projector has applied it: sliptrail projections list"
