import { Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { formatPosition, type RecordedEvent } from "../../application/ports/event-store.ts"
import { trail as trailOf, type TrailSubject } from "../../application/queries/trail.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { jsonFlag, maybe } from "./flags.ts"
import { printJson } from "./output.ts"
import { looking } from "./reading.ts"
import { tell } from "./story.ts"

const subjectOf = (flags: {
  readonly job: Option.Option<string>
  readonly slip: Option.Option<string>
  readonly verification: Option.Option<string>
  readonly branch: Option.Option<string>
}): TrailSubject | undefined => {
  const given = [flags.job, flags.slip, flags.verification, flags.branch].filter(Option.isSome)
  if (given.length !== 1) return undefined
  if (Option.isSome(flags.job)) return { _tag: "Job", id: flags.job.value }
  if (Option.isSome(flags.verification)) return { _tag: "Verification", id: flags.verification.value }
  if (Option.isSome(flags.branch)) return { _tag: "Branch", id: flags.branch.value.toLowerCase() }
  const [sendingBank = "", transRef = ""] = Option.getOrElse(flags.slip, () => "").split(":")
  return sendingBank === "" || transRef === "" ? undefined : { _tag: "Slip", sendingBank, transRef }
}

/** An event as the admin API shows it too (contract, `/trail`). */
const forMachines = ({ data, metadata, position, revision, stream, type }: RecordedEvent) => ({
  position: formatPosition(position),
  stream,
  revision,
  type,
  at: metadata.at,
  actor: metadata.actor,
  data
})

const show = Command.make("show", {
  job: maybe("job", "Id of a job: a slip that was handed over to be verified later"),
  slip: maybe("slip", "BANK:TRANSREF, for example 004:013071152533APM07736"),
  verification: maybe("verification", "Id of a verification"),
  branch: maybe("branch", "Id of a branch"),
  json: jsonFlag
}, Effect.fnUntraced(function*({ json, ...flags }) {
  const subject = subjectOf(flags)
  if (subject === undefined) {
    return yield* cannotRun("give exactly one of --job ID, --slip BANK:TRANSREF, --verification ID, --branch ID")
  }
  const events = yield* trailOf(subject).pipe(
    Effect.catchTag("TrailEmpty", () => Effect.fail(answerIsNo("nothing is known of it"))),
    looking
  )
  yield* json ? printJson(events.map(forMachines)) : Console.log(events.map(tell).join("\n"))
})).pipe(Command.withDescription("Tell what happened to a job, a slip, a verification or a branch, oldest first"))

export const trail = Command.make("trail").pipe(
  Command.withDescription("The trail of events"),
  Command.withSubcommands([show])
)
