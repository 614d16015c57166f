import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { CallbackListState } from "../../../domain/callback.ts"
import { toned } from "./colors.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { isoTimeOf, jsonFlag, limitFlag, optionalChoice, optionalText, orderFlag, TIME } from "./flags.ts"
import { printList, runChange } from "./operation.ts"
import { print } from "./output.ts"
import type { Given } from "./request.ts"
import type { CallbackQuery } from "../../web/api/requests/operator-queries.ts"

const tones = { none: undefined, pending: undefined, delivered: "good", rejected: "bad", abandoned: "bad" } as const

/** Which callbacks to list, as the query of the admin API. */
type Query = Given<typeof CallbackQuery.Encoded>

const printCallbacks = (flags: { readonly json: boolean; readonly limit: number }, query: Query, noRows: string) =>
  printList(flags, { name: "listCallbacks", query }, {
    "job": "jobId",
    "branch": "branchId",
    "state": ({ state }) => toned(tones[state], state),
    "url": "url",
    "attempts": "attempts",
    "last attempt": "lastAttemptAt",
    "why": "lastReason"
  }, noRows)

const list = Command.make(
  "list",
  {
    state: optionalChoice("state", CallbackListState.literals, "Only callbacks in that state"),
    host: optionalText("host", "Only callbacks to that host, such as shop.example:8443"),
    from: optionalText("from", `Only callbacks that are due, or ended, at that time or later: ${TIME}`),
    to: optionalText("to", "Only callbacks that are due, or ended, up to that time; a day means the end of that day"),
    order: orderFlag,
    limit: limitFlag,
    json: jsonFlag
  },
  ({ from, host, json, limit, order, state, to }) =>
    printCallbacks(
      { json, limit },
      { state, host: host?.trim(), from: from?.trim(), to: to?.trim(), order },
      "There are no such callbacks"
    )
).pipe(Command.withDescription("List callbacks by the time at which they are due or ended, newest first"))

const dead = Command.make(
  "dead",
  { order: orderFlag, limit: limitFlag, json: jsonFlag },
  ({ json, limit, order }) =>
    printCallbacks({ json, limit }, { state: "abandoned", order }, "There are no abandoned callbacks")
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
    const hasPeriod = from !== undefined || to !== undefined
    if ([job !== undefined, host !== undefined, hasPeriod].filter(Boolean).length !== 1) {
      return yield* cannotRun("give exactly one of --job ID, --host HOST, --from TIME with --to TIME")
    }
    const body = {
      jobId: job,
      host,
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
