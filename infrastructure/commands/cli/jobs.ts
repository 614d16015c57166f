import { Effect } from "effect"
import { Command } from "effect/cli"
import { toned } from "./colors.ts"
import { isoTimeOf, jsonFlag, limitFlag, optionalChoice, optionalText, orderFlag, TIME } from "./flags.ts"
import { printList } from "./operation.ts"
import { JobStatus } from "../../../domain/job.ts"

const tones = { pending: undefined, success: "good", not_found: "caution" } as const

const list = Command.make(
  "list",
  {
    state: optionalChoice("state", JobStatus.literals, "Only jobs in that state"),
    branch: optionalText("branch", "Only jobs of that branch"),
    from: optionalText("from", `Only jobs that entered their state at that time or later: ${TIME}`),
    to: optionalText("to", "Only jobs that entered their state up to that time; a day means the end of that day"),
    since: optionalText("since", "As --from"),
    order: orderFlag,
    limit: limitFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ json, limit, ...flags }) {
    const since = yield* isoTimeOf("since", flags.since, "first")
    const query = { ...flags, since, from: flags.from?.trim(), to: flags.to?.trim() }
    yield* printList({ json, limit }, { name: "listJobs", query }, {
      "job": "jobId",
      "branch": "branchId",
      "state": ({ state }) => toned(tones[state], state),
      "accepted": "createdAt",
      "attempts": "attempts",
      "next attempt": "nextAttemptAt"
    }, "There are no such jobs")
  })
).pipe(Command.withDescription("List jobs by the time at which they entered their state, newest first"))

export const jobs = Command.make("jobs").pipe(
  Command.withDescription("Jobs: slips that are verified asynchronously; trail show --job shows one"),
  Command.withSubcommands([list])
)
