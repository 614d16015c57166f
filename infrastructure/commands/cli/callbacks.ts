import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CallbackListState } from "../../../domain/callback.ts"
import { toned } from "./colors.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { isoTimeOf, jsonFlag, limitFlag, optionalText, orderFlag, TIME, trimmedOf } from "./flags.ts"
import { runChange, runList } from "./operation.ts"
import { note, noteMore, print, printTable } from "./output.ts"
import type { Given } from "./request.ts"
import type { CallbackQuery } from "../../web/api/requests/operator-queries.ts"

const tones = { none: undefined, pending: undefined, delivered: "good", rejected: "bad", abandoned: "bad" } as const

/** Which callbacks to list, as the query of the admin API. */
type Query = Given<typeof CallbackQuery.Encoded>

const printCallbacks = Effect.fnUntraced(function* (query: Query, rows: number, json: boolean, noRows: string) {
  const { hasMore, items } = yield* runList(rows, { name: "listCallbacks", query })
  if (items.length === 0) yield* note(noRows)
  yield* print(json, items, () =>
    printTable(
      ["job", "branch", "state", "url", "attempts", "last attempt", "why"],
      items.map((
        { attempts, branchId, jobId, lastAttemptAt, lastReason, state, url }
      ) => [jobId, branchId, toned(tones[state], state), url, String(attempts), lastAttemptAt ?? "", lastReason ?? ""])
    ))
  yield* noteMore(hasMore)
})

const list = Command.make(
  "list",
  {
    state: Flag.Literals("state", CallbackListState.literals).pipe(
      Flag.withDescription("Only callbacks in that state"),
      Flag.optional
    ),
    host: optionalText("host", "Only callbacks to that host, such as shop.example:8443"),
    from: optionalText("from", `Only callbacks that are due, or ended, at that time or later: ${TIME}`),
    to: optionalText("to", "Only callbacks that are due, or ended, up to that time; a day means the end of that day"),
    order: orderFlag,
    limit: limitFlag,
    json: jsonFlag
  },
  ({ from, host, json, limit, order, state, to }) =>
    printCallbacks(
      {
        state: Option.getOrUndefined(state),
        host: trimmedOf(host),
        from: trimmedOf(from),
        to: trimmedOf(to),
        order
      },
      limit,
      json,
      "There are no such callbacks"
    )
).pipe(Command.withDescription("List callbacks by the time at which they are due or ended, newest first"))

const dead = Command.make(
  "dead",
  { order: orderFlag, limit: limitFlag, json: jsonFlag },
  ({ json, limit, order }) =>
    printCallbacks({ state: "abandoned", order }, limit, json, "There are no abandoned callbacks")
).pipe(Command.withDescription("List callbacks that were abandoned after the last attempt, newest first"))

const redeliver = Command.make(
  "redeliver",
  {
    job: optionalText("job", "Id of a job: its callback, in any state"),
    host: optionalText("host", "Host, such as shop.example:8443: its rejected and abandoned callbacks"),
    from: optionalText("from", `With --to: callbacks rejected or abandoned at that time or later: ${TIME}`),
    to: optionalText("to", "With --from: up to that time; a day means the end of that day"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, ...flags }) {
    const { from, host, job, to } = flags
    const hasPeriod = Option.isSome(from) || Option.isSome(to)
    if ([Option.isSome(job), Option.isSome(host), hasPeriod].filter(Boolean).length !== 1) {
      return yield* cannotRun("give exactly one of --job ID, --host HOST, --from TIME with --to TIME")
    }
    const body = {
      jobId: Option.getOrUndefined(job),
      host: Option.getOrUndefined(host),
      from: yield* isoTimeOf("from", from, "first"),
      to: yield* isoTimeOf("to", to, "last")
    }
    const { redelivered } = yield* runChange({ name: "redeliverCallbacks", body, readsFirst: true })
    const count = redelivered === 1 ? "1 callback is" : `${redelivered} callbacks are`
    yield* print(
      json,
      { redelivered },
      () => redelivered === 0 ? Effect.void : Console.log(`${count} due again; a running worker sends them`)
    )
    if (redelivered === 0) {
      return yield* answerIsNo("there are no rejected or abandoned callbacks to send again")
    }
  })
).pipe(Command.withDescription("Send callbacks again: of a job, of a host, or of a period"))

export const callbacks = Command.make("callbacks").pipe(
  Command.withDescription("Callbacks, which send the results of jobs"),
  Command.withSubcommands([list, dead, redeliver])
)
