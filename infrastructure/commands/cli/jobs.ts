import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { toned } from "./colors.ts"
import { isoTimeOf, jsonFlag, limitFlag, optionalText, orderFlag, TIME, trimmedOf } from "./flags.ts"
import { runList } from "./operation.ts"
import { note, noteMore, print, printTable } from "./output.ts"
import { JobStatus } from "../../../domain/job.ts"

const tones = { pending: undefined, success: "good", not_found: "caution" } as const

const list = Command.make(
  "list",
  {
    state: Flag.Literals("state", JobStatus.literals).pipe(
      Flag.withDescription("Only jobs in that state"),
      Flag.optional
    ),
    branch: optionalText("branch", "Only jobs of that branch"),
    from: optionalText("from", `Only jobs that entered their state at that time or later: ${TIME}`),
    to: optionalText("to", "Only jobs that entered their state up to that time; a day means the end of that day"),
    since: optionalText("since", "As --from"),
    order: orderFlag,
    limit: limitFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, ...flags }) {
    const query = {
      state: Option.getOrUndefined(flags.state),
      branch: Option.getOrUndefined(flags.branch),
      order: flags.order,
      since: yield* isoTimeOf("since", flags.since, "first"),
      from: trimmedOf(flags.from),
      to: trimmedOf(flags.to)
    }
    const { hasMore, items } = yield* runList(flags.limit, { name: "listJobs", query })
    if (items.length === 0) yield* note("There are no such jobs")
    yield* print(json, items, () =>
      printTable(
        ["job", "branch", "state", "accepted", "attempts", "next attempt"],
        items.map((
          { attempts, branchId, createdAt, jobId, nextAttemptAt, state }
        ) => [jobId, branchId, toned(tones[state], state), createdAt, String(attempts), nextAttemptAt ?? ""])
      ))
    yield* noteMore(hasMore)
  })
).pipe(Command.withDescription("List jobs by the time at which they entered their state, newest first"))

export const jobs = Command.make("jobs").pipe(
  Command.withDescription("Jobs: slips that are verified asynchronously; trail show --job shows one"),
  Command.withSubcommands([list])
)
