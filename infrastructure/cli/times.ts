import { Effect, Option } from "effect"
import { readMoment } from "../../domain/moment.ts"
import { isoTime } from "../../domain/time.ts"
import { cannotRun } from "./exit.ts"

/** How a time is written. */
export const TIME = '2026-11-21T15:45:00+07:00, or in Bangkok "2026-11-21 15:45", or a day there'

/** What was typed behind a flag, in milliseconds; a day stands for its first millisecond in Bangkok or its last. */
const millisOf = (name: string, text: string, ofDay: "first" | "last") => {
  const moment = readMoment(text, ofDay)
  return moment === undefined
    ? Effect.fail(cannotRun(`--${name}: Expected ${TIME}, not "${text}"`))
    : Effect.succeed(moment.at)
}

/** The time of a flag, in milliseconds; undefined when it was not given. */
export const timeOf = (name: string, flag: Option.Option<string>, ofDay: "first" | "last") =>
  Option.isNone(flag) ? Effect.undefined : millisOf(name, flag.value, ofDay)

/** The same as the admin API takes it, which wants an offset. */
export const fieldOfTime = Effect.fnUntraced(function* (
  name: string,
  flag: Option.Option<string>,
  ofDay: "first" | "last"
) {
  const at = yield* timeOf(name, flag, ofDay)
  return at === undefined ? undefined : isoTime(at)
})
