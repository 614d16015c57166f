import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { cannotRun } from "./exit.ts"
import { fieldOfTime, TIME } from "./times.ts"

/** `--json`, of every command that prints data. */
export const jsonFlag = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))

/** Text that may be given or not. */
export const maybe = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** The id of what a command is about. */
export const idArgument = (description: string) => Argument.String("id").pipe(Argument.withDescription(description))

export const quotaFlag = maybe("quota", "Verifications a calendar month in Bangkok, or unlimited")
export const expiresFlag = maybe("expires", `When it ends: ${TIME}, to its end; or never`)
export const reasonFlag = maybe("reason", "Why, for the trail")
export const webhookFlag = maybe("webhook", "https URL that results are sent to, or none")
export const ipFlag = Flag.String("ip").pipe(
  Flag.withDescription("Address or CIDR range that may call, or * for all; may be repeated"),
  Flag.atLeast(0)
)

/** A value or the word for having none, which is null; undefined when the flag was not given. */
export const orWord = (flag: Option.Option<string>, word: string): string | null | undefined =>
  Option.getOrUndefined(Option.map(flag, (text) => text === word ? null : text))

/** The number of `--quota`; null is unlimited, undefined not given. */
export const quotaOf = (flag: Option.Option<string>) => {
  const text = orWord(flag, "unlimited")
  if (typeof text !== "string") return Effect.succeed(text)
  return /^\d{1,15}$/u.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(cannotRun(`--quota: Expected a whole number, or unlimited, not "${text}"`))
}

/** The time of `--expires` as the admin API takes it; null is never, undefined not given. */
export const expiryOf = (flag: Option.Option<string>) =>
  orWord(flag, "never") === null ? Effect.succeed(null) : fieldOfTime("expires", flag, "last")

/** Entries of `--ip`; undefined when there are none. */
export const entriesOf = (flag: ReadonlyArray<string>): ReadonlyArray<string> | undefined =>
  flag.length === 0 ? undefined : flag
