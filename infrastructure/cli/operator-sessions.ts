import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { load } from "../../application/events/handle-command.ts"
import { endSession as endOne, listSessions } from "../../application/operators/console-sessions.ts"
import { endOperatorSessions } from "../../application/operators/operators.ts"
import { acts } from "../../domain/permissions.ts"
import { consoleSessions, operators, streamOf } from "../../domain/events/aggregates.ts"
import { answerIsNo } from "./exit.ts"
import { idArgument, idOf, jsonFlag, limitFlag, limitOf, optionalText, trimmedOf } from "./flags.ts"
import { atTarget, localOperator, runChange, runList } from "./operation.ts"
import { note, noteMore, print, printFields, printTable } from "./output.ts"
import { retryWhileBehind } from "./stores.ts"

/** A person who can write the data folder can do everything. */
const meHere = Effect.map(localOperator, (name) => ({ name, role: "admin", may: acts }) as const)

export const me = Command.make(
  "me",
  { json: jsonFlag },
  Effect.fnUntraced(function* ({ json }) {
    const me = yield* atTarget((call) => call({ name: "getMe" }), meHere)
    yield* print(
      json,
      me,
      ({ may, name, role }) =>
        printFields([["name", name], ["role", role], ["may", `${may.length} operations: --json lists them`]])
    )
  })
).pipe(Command.withDescription("Show the operator that commands act as, and what the role may do"))

const loadOperators = Effect.map(load(operators, streamOf.operators()), ({ state }) => state)

const loadStates = Effect.gen(function* () {
  const { state: ended } = yield* load(consoleSessions, streamOf.consoleSessions())
  return { ended, operators: yield* loadOperators }
})

export const sessions = Command.make(
  "sessions",
  {
    operator: optionalText("operator", "Only sessions of that operator, spelled as in the list"),
    limit: limitFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, limit, ...flags }) {
    const operator = trimmedOf(flags.operator)
    const { hasMore, items } = yield* runList(
      yield* limitOf(limit),
      (call) => (page) => call({ name: "listSessions", query: { operator, ...page } }),
      Effect.map(loadStates, (states) => (page) => listSessions(states, { operator, ...page }))
    )
    if (items.length === 0) yield* note("There are no open sessions")
    yield* print(json, items, () =>
      printTable(
        ["session", "operator", "role", "with", "started", "expires"],
        items.map((
          { expiresAt, id, operator, role, source, startedAt }
        ) => [id, operator, role, source, startedAt, expiresAt])
      ))
    yield* noteMore(hasMore)
  })
).pipe(Command.withDescription("List the open sessions of the console, those that expire last first"))

export const endSession = Command.make(
  "end-session",
  { id: idArgument("Id of a session, as operator sessions prints it"), json: jsonFlag },
  Effect.fnUntraced(function* ({ json, ...flags }) {
    const id = idOf(flags.id)
    const ended = yield* runChange(
      { name: "endSession", params: { id } },
      (operation) =>
        retryWhileBehind(Effect.as(endOne(id, operation), { id })).pipe(
          Effect.catchTag("SessionNotFound", () => Effect.fail(answerIsNo("the session does not exist")))
        )
    )
    yield* print(json, ended, ({ id }) => printFields([["ended", id]]))
  })
).pipe(Command.withDescription("End a session of the console in every process"))

export const endSessions = Command.make(
  "end-sessions",
  { name: Argument.String("name").pipe(Argument.withDescription("Name of the operator")), json: jsonFlag },
  Effect.fnUntraced(function* ({ json, name }) {
    const ended = yield* runChange(
      { name: "endOperatorSessions", params: { name } },
      (operation) =>
        loadOperators.pipe(
          Effect.flatMap((state) => endOperatorSessions(state, name, operation)),
          Effect.map((operator) => ({ operator }))
        )
    )
    yield* print(json, ended, ({ operator }) => printFields([["signed out", operator]]))
  })
).pipe(Command.withDescription("End all sessions of an operator in every process; the token stays valid"))
