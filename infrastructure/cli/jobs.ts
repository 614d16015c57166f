import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { JobStatus, listJobs } from "../../projections/models/jobs.ts"
import { jsonFlag, maybe } from "./flags.ts"
import { firstOf, limitFlag, limitOf, noteMore } from "./listing.ts"
import { judged } from "./operation.ts"
import { note, print, printTable } from "./output.ts"
import { looking } from "./reading.ts"
import { fieldOfTime, TIME } from "./times.ts"
import { decodeJobFilter } from "../input/operator-queries.ts"

const list = Command.make(
  "list",
  {
    state: Flag.Literals("state", JobStatus.literals).pipe(
      Flag.withDescription("Only jobs that are in that state"),
      Flag.optional
    ),
    branch: maybe("branch", "Only jobs of that branch"),
    since: maybe("since", `Only what came into its state at that time or later: ${TIME}`),
    limit: limitFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, ...flags }) {
    const filter = yield* judged(decodeJobFilter, {
      state: Option.getOrUndefined(flags.state),
      branch: Option.getOrUndefined(flags.branch),
      since: yield* fieldOfTime("since", flags.since, "first")
    })
    const limit = yield* limitOf(flags.limit)
    const { hasMore, items } = yield* looking(firstOf(limit, (page) => listJobs({ ...filter, ...page })))
    if (items.length === 0) yield* note("There is no such job")
    yield* print(json, items, () =>
      printTable(
        ["job", "branch", "state", "accepted", "attempts", "next attempt"],
        items.map((
          { attempts, branchId, createdAt, jobId, nextAttemptAt, state }
        ) => [jobId, branchId, state, createdAt, String(attempts), nextAttemptAt ?? ""])
      ))
    yield* noteMore(hasMore)
  })
).pipe(Command.withDescription("List jobs, in the order in which they came into their state"))

export const jobs = Command.make("jobs").pipe(
  Command.withDescription("Jobs: slips that were handed over to be verified later; trail show --job tells of one"),
  Command.withSubcommands([list])
)
