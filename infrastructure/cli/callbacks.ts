import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { redeliver as redeliverCallbacks } from "../../application/callbacks/redeliver-callbacks.ts"
import { callbackList } from "../../application/callbacks/list-callbacks.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { jsonFlag, maybe } from "./flags.ts"
import { firstOf, limitFlag, limitOf, noteMore } from "./listing.ts"
import { changing, judged } from "./operation.ts"
import { note, print, printTable } from "./output.ts"
import { looking, onceCaughtUp } from "./reading.ts"
import { fieldOfTime, TIME } from "./times.ts"
import { decodeRedelivery } from "../input/operator-queries.ts"

const dead = Command.make(
  "dead",
  { limit: limitFlag, json: jsonFlag },
  Effect.fnUntraced(function* (flags) {
    const limit = yield* limitOf(flags.limit)
    const asked = { state: "abandoned", host: undefined } as const
    const { hasMore, items } = yield* looking(firstOf(limit, (page) => callbackList({ ...asked, ...page })))
    if (items.length === 0) yield* note("No callback was abandoned")
    yield* print(flags.json, items, () =>
      printTable(
        ["job", "branch", "url", "attempts", "last attempt", "why"],
        items.map((
          { attempts, branchId, jobId, lastAttemptAt, lastReason, url }
        ) => [jobId, branchId, url, String(attempts), lastAttemptAt ?? "", lastReason ?? ""])
      ))
    yield* noteMore(hasMore)
  })
).pipe(Command.withDescription("List callbacks that were abandoned after their last retry, the oldest first"))

const nothing = { "pending": "its job has not ended: it is sent when it does", "no-url": "the job has no callbackUrl" }

const redeliver = Command.make(
  "redeliver",
  {
    job: maybe("job", "Id of a job: its callback, whatever came of it"),
    host: maybe("host", "Server, such as shop.example:8443: what it rejected and what was abandoned there"),
    from: maybe("from", `With --to: what was rejected or abandoned from that time on: ${TIME}`),
    to: maybe("to", "With --from: up to that time, written alike; a day to its end"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, ...flags }) {
    const { from, host, job, to } = flags
    const isBetween = Option.isSome(from) || Option.isSome(to)
    if ([Option.isSome(job), Option.isSome(host), isBetween].filter(Boolean).length !== 1) {
      return yield* cannotRun("give exactly one of --job ID, --host HOST, --from TIME with --to TIME")
    }
    const what = yield* judged(decodeRedelivery, {
      jobId: Option.getOrUndefined(job),
      host: Option.getOrUndefined(host),
      from: yield* fieldOfTime("from", from, "first"),
      to: yield* fieldOfTime("to", to, "last")
    })
    const redelivered = yield* changing(
      "POST /callbacks/redeliver",
      (operation) =>
        onceCaughtUp(redeliverCallbacks(what, operation)).pipe(
          Effect.catchTags({
            JobNotFound: () => Effect.fail(answerIsNo("there is no such job")),
            NothingToRedeliver: ({ reason }) =>
              Effect.fail(answerIsNo(`there is no callback to send: ${nothing[reason]}`))
          })
        )
    )
    const count = redelivered === 1 ? "1 callback is" : `${redelivered} callbacks are`
    yield* print(
      json,
      { redelivered },
      () => redelivered === 0 ? Effect.void : Console.log(`${count} due again; a worker sends them as soon as one runs`)
    )
    if (redelivered === 0) {
      return yield* answerIsNo("nothing was rejected or abandoned there")
    }
  })
).pipe(Command.withDescription("Have callbacks sent again: of a job, of a server, or of a time"))

export const callbacks = Command.make("callbacks").pipe(
  Command.withDescription("Callbacks that tell the results of jobs"),
  Command.withSubcommands([dead, redeliver])
)
