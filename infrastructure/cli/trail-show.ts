import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { trail, trailItem } from "../../application/queries/trail.ts"
import { masked, opened } from "../../application/queries/trail-opened.ts"
import { loggedSubject, type TrailSubject } from "../../application/queries/trail-subject.ts"
import { answerIsNo } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { note, printJson } from "./output.ts"
import { looking } from "./reading.ts"
import { revealFlag, revealing } from "./revealing.ts"
import { tell } from "./story.ts"
import { subjectFlags, subjectOf } from "./trail-subject.ts"

const found = (subject: TrailSubject) =>
  Effect.catchTag(trail(subject), "TrailEmpty", () => Effect.fail(answerIsNo("nothing is known of it")))

/** Personal data as it stands in the log for machines, and masked for people. */
const asItMayBe = (subject: TrailSubject, json: boolean) =>
  looking(Effect.gen(function*() {
    const { events, isTruncated } = yield* found(subject)
    return { events: json ? events : yield* Effect.forEach(events, masked), isTruncated }
  }))

/** The query of the admin API that shows the same. */
const asQuery = (subject: TrailSubject): string =>
  subject._tag === "Slip"
    ? `slip=${subject.sendingBank}:${subject.transRef}`
    : `${subject._tag.toLowerCase()}=${subject.id}`

const inTheClear = (subject: TrailSubject) =>
  revealing(
    `stop it first, or ask its admin API, which writes it down too: GET /admin/v1/trail?${asQuery(subject)}&reveal=true`,
    Effect.fnUntraced(function*(record) {
      // Of what nobody has heard of nothing is shown, and so nothing is to be written down.
      const { events, isTruncated } = yield* found(subject)
      const logged = yield* loggedSubject(subject)
      yield* record({ command: "trail show", from: null, to: null, branchId: null, subject: logged })
      return { events: yield* Effect.forEach(events, opened), isTruncated }
    })
  )

export const show = Command.make("show", { ...subjectFlags, reveal: revealFlag, json: jsonFlag }, Effect.fnUntraced(
  function*({ json, reveal, ...flags }) {
    const subject = yield* subjectOf(flags)
    const { events, isTruncated } = yield* reveal ? inTheClear(subject) : asItMayBe(subject, json)
    yield* json ? printJson(events.map(trailItem)) : Console.log(events.map(tell).join("\n"))
    if (isTruncated) yield* note("… more happened before: sliptrail trail export --branch has all of it")
  }
)).pipe(Command.withDescription("Tell what happened to a job, a slip, a verification or a branch, oldest first"))
