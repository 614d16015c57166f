import { Config, Duration, Option, type Redacted, Schema, SchemaTransformation } from "effect"

/** One setting: everything that is said of it, in the README, by `doctor` and to the program, comes from here. */
export interface Setting<A> {
  readonly name: string
  /** As it would be written in the environment; undefined where there is none. */
  readonly default: string | undefined
  readonly description: string
  /** Never printed. */
  readonly secret: boolean
  readonly config: Config.Config<A>
}

export const setting = <A>(
  name: string,
  fallback: string,
  description: string,
  config: (name: string) => Config.Config<A>
): Setting<A> => ({ name, default: fallback, description, secret: false, config: config(name) })

export const optional = <A>(
  name: string,
  description: string,
  config: (name: string) => Config.Config<A>
): Setting<A | undefined> => ({
  name,
  default: undefined,
  description,
  secret: false,
  config: Config.map(Config.option(config(name)), Option.getOrUndefined)
})

export const secret = (name: string, description: string): Setting<Redacted.Redacted | undefined> => ({
  ...optional(name, description, (key) => Config.Redacted(key)),
  secret: true
})

export const withDefault =
  <A>(value: A, config: (name: string) => Config.Config<A>) => (name: string): Config.Config<A> =>
    Config.withDefault(config(name), value)

export const list = (fallback: ReadonlyArray<string>) => (name: string): Config.Config<ReadonlyArray<string>> =>
  Config.String(name).pipe(
    Config.map((text) => text.split(",").map((entry) => entry.trim()).filter((entry) => entry !== "")),
    Config.withDefault(fallback)
  )

/** A port as it is written; 0 asks the system for a free one. */
export const Port = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 65_535 }))

export const Count = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))

export const Delay = Schema.DurationFromString.check(
  Schema.makeFilter((delay: Duration.Duration) =>
    Duration.isFinite(delay) && Duration.isPositive(delay) || "Expected a duration longer than nothing, and finite")
)

/** Durations with commas between them, one at least. */
const Delays = Schema.String.pipe(
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
  Schema.decodeTo(Schema.Array(Delay))
)

export const delays = (
  name: string,
  fallback: ReadonlyArray<`${number} ${Duration.Unit}`>,
  description: string
): Setting<ReadonlyArray<Duration.Duration>> =>
  setting(name, fallback.join(", "), description, (key) =>
    Config.withDefault(Config.schema(Delays, key), fallback.map((entry) => Duration.fromInputUnsafe(entry))))
