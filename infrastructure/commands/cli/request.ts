import type { Effect, Scope } from "effect"
import type { ParamName } from "../../web/api/request-types.ts"
import type { PageRange } from "../../web/operators/handler.ts"
import type { ReadName } from "../../web/operators/handlers.ts"
import type { DataOf, OperationName, Operations } from "../../web/operators/operations.ts"
import type { CommandFailed } from "./exit.ts"

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
  /** Whether a change reads the read models before it writes: on the data folder it waits for those that are behind. */
  readonly readsFirst?: boolean
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

/** Calls operations of the admin API of one service. `page` selects a part of a list. */
export type Call = <const Name extends OperationName>(
  request: Request<Name>,
  page?: PageRange
) => Effect.Effect<DataOf<Name>, CommandFailed>

/** The same for operations that only read, of a service or of the data folder. */
export type ReadCall<E, R> = <const Name extends ReadName>(
  request: Request<Name>,
  page?: PageRange
) => Effect.Effect<DataOf<Name>, E, R>

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

/** The admin API of one service. */
export interface Service {
  readonly call: Call
  readonly open: OpenFile
}

export const NOT_VISIBLE =
  "The change is stored. Requests see it when a running projector has applied it: sliptrail projections list"
