import { Config, Duration, Effect, Redacted, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { MAX_SCHEDULED_WAIT_MILLIS } from "../../../domain/waits.ts"

/** The facts about a setting that `docs/settings.md` and `sliptrail doctor` print. */
export interface SettingInfo {
  /** Name of the environment variable. */
  readonly name: string
  /** Another environment variable for the same setting. */
  readonly otherName?: string
  /** In the format of the environment; undefined when there is no default. */
  readonly default: string | undefined
  readonly description: string
  /** True for a value that is never printed. */
  readonly secret: boolean
}

/** One setting: the `Config` that reads it, with its description. */
export type Setting<A> = Config.Config<A> & SettingInfo

type Codec<A> = Schema.ConstraintCodec<A, string>

/** A setting with a default. The default is decoded like a value of the environment. */
export const setting = <A>(name: string, fallback: string, description: string, codec: Codec<A>): Setting<A> =>
  Object.assign(Config.withDefault(Config.schema(codec, name), Schema.decodeSync(codec)(fallback)), {
    name,
    default: fallback,
    description,
    secret: false
  })

/** A setting that is undefined when the environment does not set it. */
export const optional = <A>(
  name: string,
  description: string,
  codec: Codec<A>,
  isSecret = false
): Setting<A | undefined> =>
  Object.assign(Config.withDefault(Config.schema(codec, name), undefined), {
    name,
    default: undefined,
    description,
    secret: isSecret
  })

export const secret = (name: string, description: string): Setting<Redacted.Redacted | undefined> =>
  optional(name, description, Schema.RedactedFromValue(Schema.String), true)

/** A secret that either of two environment variables sets. It cannot be read when they contain different values. */
export const secretOfTwo = (
  name: string,
  otherName: string,
  description: string
): Setting<Redacted.Redacted | undefined> =>
  Object.assign(
    Config.mapEffect(Config.all([secret(name, description), secret(otherName, description)]), ([one, other]) => {
      const isAmbiguous = one !== undefined && other !== undefined && Redacted.value(one) !== Redacted.value(other)
      return isAmbiguous ? Effect.fail(ambiguous(name, otherName)) : Effect.succeed(one ?? other)
    }),
    { name, otherName, default: undefined, description, secret: true }
  )

const ambiguous = (name: string, otherName: string): Config.ConfigError => {
  const message = `${otherName} is another name of this setting, and has another value: remove one of the two`
  const issue = new SchemaIssue.InvalidValue({ message })
  return new Config.ConfigError(new Schema.SchemaError(new SchemaIssue.Pointer([name], issue)))
}

/** Every name of a setting. */
export const namesOf = ({ name, otherName }: SettingInfo): ReadonlyArray<string> =>
  otherName === undefined ? [name] : [name, otherName]

/** An integer between two bounds, both allowed. */
export const integer = (minimum: number, maximum: number) =>
  Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum }))

/** The texts that `Config.Boolean` accepts. */
export const Flag = Schema.Literals(["true", "yes", "on", "1", "y", "false", "no", "off", "0", "n"]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({
      decode: (text): boolean => /^(?:true|yes|on|1|y)$/u.test(text),
      encode: (value) => value ? "true" as const : "false" as const
    })
  )
)

/** Entries separated by commas. Spaces around an entry and empty entries are ignored. */
export const List = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Array(Schema.String),
    SchemaTransformation.transform({
      decode: (text): ReadonlyArray<string> =>
        text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== ""),
      encode: (entries) => entries.join(",")
    })
  )
)

/** A finite duration above zero, such as `10 seconds`. */
export const Delay = Schema.DurationFromString.check(
  Schema.makeFilter((delay: Duration.Duration) =>
    Duration.isFinite(delay) && Duration.isPositive(delay)
    || "Expected a finite duration above zero, such as 10 seconds"
  )
)

/** A duration with an upper bound in milliseconds. */
export const atMost = (duration: typeof Schema.DurationFromString, millis: number) =>
  duration.check(
    Schema.makeFilter((value: Duration.Duration) =>
      Duration.toMillis(value) <= millis || `Expected at most ${Duration.format(Duration.millis(millis))}`
    )
  )

/** At least one `Delay`; commas between them. Unlike in `List`, an empty entry is an error. */
export const Delays = Schema.String.pipe(
  Schema.decodeTo(
    Schema.NonEmptyArray(Schema.String),
    SchemaTransformation.transform({
      decode: (text): readonly [string, ...Array<string>] => {
        const [first = "", ...more] = text.split(",").map((entry) => entry.trim())
        return [first, ...more]
      },
      encode: (entries) => entries.join(", ")
    })
  ),
  Schema.decodeTo(Schema.Array(atMost(Delay, MAX_SCHEDULED_WAIT_MILLIS)))
)

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

export const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").trim()

/** The issues of a value that a schema refuses, on one line: `field.path: what was expected`. */
export const describeIssue = (issue: SchemaIssue.Issue): string =>
  formatIssues(issue).issues
    .map(({ message, path }) => `${(path ?? []).map(String).join(".")}: ${oneLine(message)}`)
    .join("; ")

/** A setting that cannot be read: its name and what was expected. */
export const describeConfigError = ({ cause, message }: Config.ConfigError): string =>
  cause._tag === "SchemaError" ? describeIssue(cause.issue) : oneLine(message)
