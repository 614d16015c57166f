import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { isoTime, parseTimeInBangkok } from "../../../domain/time.ts"
import { Order } from "../../../domain/order.ts"
import type { Fields, InvalidInput } from "../../web/input/decode.ts"
import { cannotRun } from "./exit.ts"

/** How a time is written, for help texts and errors. */
export const TIME = '2026-11-21T15:45:00+07:00, or in Bangkok time "2026-11-21 15:45" or 2026-11-21'

/** A flag without a value: false when it was not given. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** `--json`, of every command that prints data. */
export const jsonFlag = switchFlag("json", "Print JSON")

/** A flag whose value is undefined when it was not given. */
export const optional = <A>(flag: Flag.Flag<A>, description: string): Flag.Flag<A | undefined> =>
  flag.pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

export const optionalText = (name: string, description: string) => optional(Flag.String(name), description)

export const optionalInt = (name: string, description: string) => optional(Flag.Int(name), description)

export const optionalChoice = <const Choice extends string>(
  name: string,
  choices: ReadonlyArray<Choice>,
  description: string
) => optional(Flag.Literals(name, choices), description)

/** `--out FILE`; undefined for standard output, which `-` means too. */
export const outFlag = (description: string) =>
  optionalText("out", `${description}; default -, standard output`).pipe(
    Flag.map((file) => file === "-" ? undefined : file)
  )

/** An id as it is stored: lower case. */
const idOf = (text: string): string => text.trim().toLowerCase()

export const idArgument = (description: string) =>
  Argument.String("id").pipe(Argument.withDescription(description), Argument.map(idOf))

export const idFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.map(idOf))

export const optionalId = (name: string, description: string) =>
  optional(Flag.map(Flag.String(name), idOf), description)

export const branchFlag = idFlag("branch", "Id of the branch, see sliptrail branch list")
export const expiresFlag = optionalText("expires", `Expiry: ${TIME}, which means the end of that day; or never`)
export const reasonFlag = optionalText("reason", "Reason, recorded in the trail")
export const limitFlag = Flag.Int("limit").pipe(
  Flag.withDescription("Maximum number of rows, 100 by default"),
  Flag.withDefault(100)
)

export const orderFlag = Flag.Literals("order", Order.literals).pipe(
  Flag.withDescription("Which rows come first"),
  Flag.withDefault("newest" as const)
)

/** A text, or null for `none`; undefined when the flag was not given. */
export const textOrNone = (name: string, description: string) =>
  Flag.map(optionalText(name, description), (text) => text === "none" ? null : text)

/** The time of `--expires` in ISO 8601: null is never, undefined is not given. */
export const expiryOf = (text: string | undefined) =>
  text === "never" ? Effect.succeed(null) : isoTimeOf("expires", text, "last")

/** Texts of a flag that may be repeated; undefined when it was not given. */
export const repeatable = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    Flag.atLeast(0),
    Flag.map((given) => given.length === 0 ? undefined : given)
  )

export const limitOf = (limit: number) =>
  limit >= 1 ? Effect.succeed(limit) : Effect.fail(cannotRun(`--limit: Expected at least 1, got ${limit}`))

/**
 * The time of a flag in Unix milliseconds; undefined when the flag was not given. A day means its first or its last
 * millisecond in Bangkok.
 */
export const timeOf = (name: string, text: string | undefined, ofDay: "first" | "last") => {
  if (text === undefined) return Effect.undefined
  const moment = parseTimeInBangkok(text, ofDay)
  return moment === undefined
    ? Effect.fail(cannotRun(`--${name}: Expected ${TIME}, got "${text}"`))
    : Effect.succeed(moment.at)
}

/** Texts without the spaces around them. */
export const trimmed = <Name extends string>(texts: Readonly<Record<Name, string | undefined>>) =>
  Object.fromEntries(
    Object.entries<string | undefined>(texts).map(([name, text]) => [name, text?.trim()])
  ) as Readonly<Record<Name, string | undefined>>

/** The time of a flag in ISO 8601 with an offset, as the admin API requires it. */
export const isoTimeOf = (name: string, text: string | undefined, ofDay: "first" | "last") =>
  Effect.map(timeOf(name, text, ofDay), (at) => at === undefined ? undefined : isoTime(at))

/** The flag of a field of the admin API, for fields whose flag has another name. */
const flagNames: Readonly<Record<string, string>> = {
  equals: "amount",
  sendingBanks: "sending-bank",
  accountId: "account",
  apiKey: "key",
  branchId: "branch",
  expiresAt: "expires",
  ipWhitelist: "ip",
  networks: "network",
  scopes: "scope",
  jobId: "job",
  webhookUrl: "webhook",
  overlapSeconds: "overlap",
  bankCode: "bank",
  bankNumber: "number"
}

/** The name of the flag of a field, such as `min-amount` of `minAmount`. */
export const flagNameOf = (field: string): string =>
  flagNames[field] ?? field.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)

/** The error that names every wrong flag. `args` are the fields that are arguments of the command, without a flag. */
export const wrongFlags = ({ issues }: Pick<InvalidInput, "issues">, args: ReadonlyArray<string> = []) =>
  cannotRun(
    issues.map(({ message, path }) => {
      const field = path.split(".", 1)[0] ?? ""
      if (field === "") return message
      return args.includes(field) ? `${field}: ${message}` : `--${flagNameOf(field)}: ${message}`
    }).join("; ")
  )

/** Decodes flags by the rules of the admin API; undefined fields are left out. The error names every wrong flag. */
export const decodeFlags = <A>(
  decode: (fields: Fields) => Effect.Effect<A, InvalidInput>,
  fields: Fields,
  args: ReadonlyArray<string> = []
) =>
  Effect.mapError(
    decode(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))),
    (invalid) => wrongFlags(invalid, args)
  )

/** Whether any flag of a change was given. */
export const isAnyGiven = (body: object): boolean => Object.values(body).some((value) => value !== undefined)
