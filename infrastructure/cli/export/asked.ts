import { Effect, Option } from "effect"
import { beginning, parsePosition } from "../../../domain/events/recorded-event.ts"
import { cannotRun } from "../exit.ts"
import { timeOf } from "../times.ts"

/** The bounds that were given, in milliseconds. */
export const boundsOf = Effect.fnUntraced(function* (flags: {
  readonly from: Option.Option<string>
  readonly to: Option.Option<string>
}) {
  const from = yield* timeOf("from", flags.from, "first")
  const to = yield* timeOf("to", flags.to, "last")
  if (from !== undefined && to !== undefined && to < from) {
    return yield* cannotRun("--to: Expected a time that is not before --from")
  }
  return { from, to }
})

/** The position of `--after`. */
export const positionOf = (flag: Option.Option<string>) => {
  if (Option.isNone(flag)) return Effect.succeed(beginning)
  const position = parsePosition(flag.value)
  return position === undefined
    ? Effect.fail(cannotRun(`--after: Expected a position such as 1234/1234, not "${flag.value}"`))
    : Effect.succeed(position)
}
