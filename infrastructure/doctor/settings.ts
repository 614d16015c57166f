import { type Config, Effect } from "effect"
import { describeConfigError } from "../settings/setting.ts"
import { dotEnv, settings } from "../settings/settings.ts"
import { fail, type Finding, warn } from "./finding.ts"

/** A setting as it is in force. Of a secret only whether it is set is ever told. */
export interface SettingReport {
  readonly name: string
  readonly value: string
  readonly from: "default" | "environment" | ".env"
  readonly default: string
  readonly description: string
}

const all = Object.values(settings)

/** Where a setting comes from, and the text of it; an empty one counts as none. */
const sourceOf = (name: string, file: ReturnType<typeof dotEnv>) => {
  const fromEnvironment = process.env[name]
  const text = fromEnvironment ?? file[name] ?? ""
  if (text === "") return { from: "default", text: undefined } as const
  return { from: fromEnvironment === undefined ? ".env" : "environment", text } as const
}

/** Every setting with its value and where that comes from. */
export const reportSettings = (): ReadonlyArray<SettingReport> => {
  const file = dotEnv()
  return all.map(({ default: fallback = "", description, name, secret }) => {
    const { from, text } = sourceOf(name, file)
    const value = secret ? (text === undefined ? "not set" : "set") : text ?? fallback
    return { name, value, from, default: secret ? "not set" : fallback, description }
  })
}

/** Settings that can't be read, and lines of `.env` that set nothing of ours. */
export const judgeSettings = Effect.gen(function* () {
  const unreadable = yield* Effect.forEach(
    all,
    (setting) =>
      Effect.match(Effect.asVoid<unknown, Config.ConfigError, never>(setting), {
        onSuccess: (): ReadonlyArray<Finding> => [],
        onFailure: (error) => [
          fail(
            "settings",
            describeConfigError(error),
            `change ${setting.name}: ${setting.description} Default: ${setting.default ?? "none"}.`
          )
        ]
      })
  )
  const known = new Set<string>(all.map(({ name }) => name))
  const strangers = Object.keys(dotEnv()).filter((name) => !known.has(name))
  return [
    ...unreadable.flat(),
    ...strangers.map((name) =>
      warn("settings", `.env sets ${name}, which is no setting of SlipTrail`, "see the names above: is it misspelt?")
    )
  ]
})
