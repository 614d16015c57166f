import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { trail, trailItem } from "../../application/trail/trail.ts"
import { masked, opened } from "../../application/trail/trail-opened.ts"
import { loggedSubject, type TrailRequest, type TrailSubject } from "../../application/trail/trail-subject.ts"
import { answerIsNo } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { note, printJson } from "./output.ts"
import { looking } from "./reading.ts"
import { revealFlag, revealing } from "./revealing.ts"
import { tell } from "./event-text.ts"
import { asQuery, more, nothingKnown, ownStory, storyFlags, storyOf } from "./trail-subject.ts"
import { whose } from "./find-owner.ts"

const found = (subject: TrailSubject | TrailRequest) =>
  Effect.catchTag(trail(subject), "TrailEmpty", () => Effect.fail(answerIsNo(nothingKnown(subject))))

/** Personal data as it stands in the log for machines, and masked for people. */
const asItMayBe = (subject: TrailSubject | TrailRequest, json: boolean) =>
  looking(Effect.gen(function* () {
    const { events, isTruncated } = yield* found(subject)
    return json
      ? { events, isTruncated, heading: [] }
      : { events: yield* Effect.forEach(events, masked), isTruncated, heading: yield* whose(subject, events) }
  }))

const inTheClear = (subject: TrailSubject) =>
  revealing(
    `stop it first, or ask its admin API, which writes it down too: GET /admin/v1/trail?${
      asQuery(subject)
    }&reveal=true`,
    Effect.fnUntraced(function* (record) {
      // Of what nobody has heard of nothing is shown, and so nothing is to be written down.
      const { events, isTruncated } = yield* found(subject)
      const logged = yield* loggedSubject(subject)
      yield* record({ command: "trail show", from: null, to: null, branchId: null, subject: logged })
      return { events: yield* Effect.forEach(events, opened), isTruncated, heading: yield* whose(subject, events) }
    })
  )

export const show = Command.make(
  "show",
  { ...storyFlags, reveal: revealFlag, json: jsonFlag },
  Effect.fnUntraced(
    function* ({ json, reveal, ...flags }) {
      const subject = yield* storyOf(flags)
      const { events, heading, isTruncated } = yield* reveal
        ? Effect.flatMap(ownStory(subject), inTheClear)
        : asItMayBe(subject, json)
      yield* json ? printJson(events.map(trailItem)) : Console.log([...heading, ...events.map(tell)].join("\n"))
      if (isTruncated) yield* note(more(subject))
    }
  )
).pipe(
  Command.withDescription(
    "Tell what happened to a job, a slip, a verification or a branch, or what a request led to, oldest first"
  )
)
