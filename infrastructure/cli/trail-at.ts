import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { stateAt } from "../../application/trail/state-at.ts"
import { trail } from "../../application/trail/trail.ts"
import type { TrailSubject } from "../../application/trail/trail-subject.ts"
import { readMoment } from "../../domain/moment.ts"
import { bangkokTime, isoTime } from "../../domain/time.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { print, printFields } from "./output.ts"
import { looking } from "./reading.ts"
import { stateFields } from "./state-text.ts"
import { nothingKnown, subjectFlags, subjectOf } from "./trail-subject.ts"

const time = Argument.String("time").pipe(
  Argument.withDescription(
    '2026-11-21T15:45:00+07:00; without an offset the time in Bangkok, "2026-11-21 15:45"; a day stands for its end there'
  )
)

const momentOf = (text: string) => {
  const moment = readMoment(text, "last")
  return moment === undefined
    ? Effect.fail(
      cannotRun(`"${text}" is no time: give one such as 2026-11-21T15:45:00+07:00, "2026-11-21 15:45" or 2026-11-21`)
    )
    : Effect.succeed(moment)
}

/** Says what was the first that happened to a subject of which nothing was known. */
const notYet = Effect.fnUntraced(function* (subject: TrailSubject, at: number) {
  const { events } = yield* Effect.catchTag(
    trail(subject),
    "TrailEmpty",
    () => Effect.fail(answerIsNo(nothingKnown(subject, ", then or since")))
  )
  const first = events.find(({ metadata }) => Date.parse(metadata.at) > at)
  return yield* answerIsNo(
    first === undefined
      ? "nothing came of it, then or since"
      : `nothing was known of it yet: the first that is known happened ${first.metadata.at}`
  )
})

export const at = Command.make(
  "at",
  { time, ...subjectFlags, json: jsonFlag },
  Effect.fnUntraced(
    function* ({ json, time, ...flags }) {
      const { at, isBangkok } = yield* momentOf(time)
      const subject = yield* subjectOf(flags)
      const state = yield* looking(Effect.gen(function* () {
        return (yield* stateAt(subject, at)) ?? (yield* notYet(subject, at))
      }))
      yield* print(json, { at: isoTime(at), ...state }, () =>
        Effect.andThen(
          Console.log(
            `As it was at ${bangkokTime(at)}${isBangkok ? ", read as the time in Bangkok" : ""} (${isoTime(at)}):`
          ),
          printFields(stateFields(state))
        ))
    }
  )
).pipe(
  Command.withDescription(
    "Tell what a slip, a job, a verification or a branch was at a moment, from the events up to it"
  )
)
