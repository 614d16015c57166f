import { Effect } from "effect"
import { Command } from "effect/cli"
import { type Disclosure, recordDisclosure } from "../../../application/erasure/erase-slip.ts"
import { withVisibility } from "../../../application/provisioning/operator-command.ts"
import type { RequestIds } from "../../../application/events/handle-command.ts"
import { Identifiers } from "../../../ports/identifiers.ts"
import type { Page } from "../../../projections/engine/page.ts"
import type { PageRange } from "../../web/operators/handler.ts"
import type { ChangeName, HandledName, ReadName } from "../../web/operators/handlers.ts"
import type { DataOf } from "../../web/operators/operations.ts"
import type { DataFolderError } from "../../runtime/data-folder.ts"
import { cannotRun, type CommandFailed } from "./exit.ts"
import { jsonFlag, limitOf, switchFlag, wrongFlags } from "./flags.ts"
import { localOperator } from "./local-operator.ts"
import { type Columns, firstRows, note, noteMore, print, printRows } from "./output.ts"
import { describeRejection } from "./rejections.ts"
import { NOT_VISIBLE, type ReadCall, type Request, type RequestParts, type Service } from "./request.ts"
import { layerChange, layerCreate, readStores, retryWhileBehind } from "./stores.ts"
import { target } from "./target.ts"

interface Failure {
  readonly _tag: string
}

/** The actor and the id of a command on the data folder: all events of one run have the same correlation id. */
const newOperation = Effect.gen(function* () {
  const actor = { kind: "admin", id: "cli", operator: yield* localOperator } as const
  return { actor, correlationId: (yield* Identifiers).newId() } satisfies RequestIds
})

/** Runs a command as one operation of the trail. `args` are fields that are arguments of the command. */
export const asOperation = <A, E extends Failure, R>(
  run: (ids: RequestIds) => Effect.Effect<A, E, R>,
  args?: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const { isVisible, value } = yield* withVisibility(run(yield* newOperation)).pipe(
      Effect.mapError((error) => describeRejection(error, { args }))
    )
    if (!isVisible) yield* note(NOT_VISIBLE)
    return value
  })

/**
 * Calls the admin API of the service of `--url`, or works on the data folder without `--url`. Loads only what the chosen
 * way needs.
 */
export const atTarget = <A, E1, R1, B, E2, R2>(
  remote: (service: Service) => Effect.Effect<A, E1, R1>,
  local: Effect.Effect<B, E2, R2>
) =>
  Effect.gen(function* () {
    const service = yield* target
    if (service === undefined) return yield* local
    const { connect } = yield* Effect.promise(() => import("./remote-client.ts"))
    return yield* remote(yield* connect(service))
  })

/** Loaded when a command works on the data folder: a command that calls a service over HTTP does not. */
const here = Effect.promise(() => import("./call-here.ts"))

/** Fails with the flags that are wrong, before anything is opened or sent. */
const checkFlags = Effect.fnUntraced(function* (request: RequestParts) {
  const { decodeRequest } = yield* Effect.promise(() => import("../../web/operators/decode.ts"))
  yield* Effect.mapError(decodeRequest(request), (invalid) => wrongFlags(invalid, request.args))
})

/** Runs the handler of an operation on the data folder, as the admin API runs it for a request. */
const changeHere = <const Name extends ChangeName>(request: Request<Name>) =>
  asOperation((ids) => {
    const change = Effect.flatMap(here, ({ changeHere }) => changeHere(request, ids))
    return request.readsFirst === true ? retryWhileBehind(change) : change
  }, request.args)

const readHere = <const Name extends ReadName>(request: Request<Name>, page?: PageRange) =>
  Effect.gen(function* () {
    const { readHere } = yield* here
    return yield* readHere(request, yield* newOperation, page)
  }).pipe(
    Effect.mapError((error) => describeRejection(error, { ...request, readsOne: request.params !== undefined }))
  )

const changeWith = (layer: typeof layerChange) => <const Name extends ChangeName>(request: Request<Name>) =>
  Effect.andThen(
    checkFlags(request),
    atTarget(
      ({ call }) => call(request),
      changeHere(request).pipe(Effect.provide(layer), suggestAdminApi(request))
    )
  )

/**
 * Changes an existing data folder that no service has open, or asks the service of `--url`: the same operation of the
 * admin API, by the same handler.
 */
export const runChange = changeWith(layerChange)

/** Like `runChange`, but creates the data folder if it does not exist. */
export const runCreate = changeWith(layerCreate)

/** Changes the data folder by what the admin API has no operation for. */
export const runLocalChange = <A, E extends Failure, R>(run: (ids: RequestIds) => Effect.Effect<A, E, R>) =>
  Effect.provide(asOperation(run), layerChange)

/** Reads by several operations, on the stores, which open once, or of the service of `--url`. */
export const runReads = <A>(use: <E, R>(call: ReadCall<E, R>) => Effect.Effect<A, E | CommandFailed, R>) =>
  atTarget(({ call }) => use<CommandFailed, never>(call), readStores(use(readHere)))

/** Reads again and again. The stores close between the reads: another process may need them. */
export const runRepeatedly = <A, B>(
  read: <E, R>(call: ReadCall<E, R>) => Effect.Effect<A, E | CommandFailed, R>,
  repeat: <E, R>(read: Effect.Effect<A, E, R>) => Effect.Effect<B, E | CommandFailed, R>
) => atTarget(({ call }) => repeat(read<CommandFailed, never>(call)), repeat(readStores(read(readHere))))

/** Reads by one operation. */
export const runRead = <const Name extends ReadName>(request: Request<Name>) =>
  Effect.andThen(checkFlags(request), runReads((call) => call(request)))

/** The id of an operation whose request is the id of one thing. */
type OneName<Name extends HandledName> = {
  [Key in Name]: { readonly name: Key; readonly params: { readonly id: string } } extends Request<Key> ? Key : never
}[Name]

const requestOfOne = <Name extends HandledName>(name: Name, params: { readonly id: string }) => {
  const request: RequestParts & { readonly name: Name } = { name, params }
  // `OneName` says that it has nothing else.
  return request as Request<Name>
}

/** Reads one thing. */
export const readOne = <const Name extends OneName<ReadName>>(name: Name) => (params: { readonly id: string }) =>
  runRead<Name>(requestOfOne(name, params))

/** Changes one thing by an operation that needs to know no more. */
export const changeOne = <const Name extends OneName<ChangeName>>(name: Name) => (params: { readonly id: string }) =>
  runChange<Name>(requestOfOne(name, params))

/** An operation whose answer is a page. */
type ListName = { [Name in ReadName]: DataOf<Name> extends Page<unknown> ? Name : never }[ReadName]

type ItemOf<Name extends ListName> = DataOf<Name>["items"][number]

/** All rows of a list up to `limit`, and whether there are more. */
const readRows = <const Name extends ListName, E, R>(
  limit: number,
  request: Request<Name>,
  call: ReadCall<E, R>
) => firstRows(limit, (page): Effect.Effect<Page<ItemOf<Name>>, E, R> => call(request, page))

/** All services, oldest first, deleted services included. */
export const allServices = <E, R>(call: ReadCall<E, R>) =>
  Effect.map(readRows(Infinity, { name: "listServices" }, call), ({ items }) => items)

/** The first rows of a list. `limit` is that of `--limit`. */
export const runList = Effect.fnUntraced(
  function* <const Name extends ListName>(limit: number, request: Request<Name>) {
    yield* checkFlags(request)
    const rows = yield* limitOf(limit)
    return yield* runReads((call) => readRows(rows, request, call))
  }
)

/** Prints the first rows of a list. `noRows` is a remark for when there are none. */
export const printList = Effect.fnUntraced(function* <const Name extends ListName>(
  { json, limit }: { readonly json: boolean; readonly limit: number },
  request: Request<Name>,
  columns: Columns<ItemOf<Name>>,
  noRows?: string
) {
  const { hasMore, items } = yield* runList(limit, request)
  if (items.length === 0 && noRows !== undefined) yield* note(noRows)
  yield* print(json, items, (rows) => printRows(columns, rows))
  yield* noteMore(hasMore)
})

/**
 * Makes commands that read or change one thing and print it: as JSON, or as text by `printText`. `remark` is printed after
 * it. `flags` are those beside `--json`.
 */
export const printing =
  <A>(printText: (value: A) => Effect.Effect<void>, remark: Effect.Effect<void> = Effect.void) =>
  <const Name extends string, const Flags extends Command.Command.Config, E, R>(
    name: Name,
    flags: Flags,
    run: (flags: Command.Command.Config.InferValue<Flags>) => Effect.Effect<A, E, R>,
    description: string
  ) =>
    Command.make(
      name,
      { flags, json: jsonFlag },
      ({ flags, json }) => Effect.flatMap(run(flags), (value) => Effect.andThen(print(json, value, printText), remark))
    ).pipe(Command.withDescription(description))

/** When a running service has the data folder open, the error names the operation of its admin API. */
export const suggestAdminApi = (request: RequestParts) => <A, E, R>(run: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    run,
    (error): error is E & DataFolderError => isInUse(error),
    ({ message }) =>
      Effect.gen(function* () {
        const { routeOf } = yield* Effect.promise(() => import("./remote-request.ts"))
        return yield* cannotRun(`${message}, or use its admin API with --url: ${routeOf(request)}`)
      })
  )

/** Checked by its tag: the class belongs to the stores, which are not loaded for a service of `--url`. */
const isInUse = (error: unknown): error is DataFolderError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "DataFolderError"
  && "reason" in error && error.reason === "in-use"

/** The flag `--reveal` of commands that can show personal data. */
export const revealFlag = switchFlag(
  "reveal",
  "Show names, account numbers, references and remarks; the access is recorded in the log first"
)

/** Records which personal data the command is about to show. */
type RecordDisclosure = (disclosure: Disclosure) => ReturnType<typeof recordDisclosure>

/**
 * Runs a command that shows personal data and records that in the log first. It appends to the log, so no service may have
 * the data folder open. `instead` is the advice for showing the same data with a running service.
 */
export const runReveal = <A, E extends Failure, R>(
  instead: string,
  run: (record: RecordDisclosure, ids: RequestIds) => Effect.Effect<A, E, R>
) =>
  runLocalChange((ids) =>
    retryWhileBehind(
      run((disclosure) => recordDisclosure(disclosure, ids), ids)
    )
  ).pipe(
    Effect.catchIf(isInUse, () =>
      Effect.fail(cannotRun(
        `access to personal data is recorded in the log, which a running SlipTrail has open: ${instead}`
      )))
  )

/** Reads what shows personal data: the handler records it in the log first. */
export const runReveals = <A>(
  instead: string,
  use: <E extends Failure, R>(call: ReadCall<E, R>) => Effect.Effect<A, E | CommandFailed, R>
) => atTarget(({ call }) => use<CommandFailed, never>(call), runReveal(instead, () => use(readHere)))
