import { Effect } from "effect"
import { Flag } from "effect/cli"
import {
  type SettingChange,
  type SettingName,
  settingNames,
  type SettingValues
} from "../../../domain/branch-settings.ts"
import { cannotRun, type CommandFailed } from "./exit.ts"
import { optionalText, repeatable } from "./flags.ts"
import type { Columns } from "./output.ts"

/** What was given with a flag; undefined without it. */
type Given = ReadonlyArray<string> | undefined

/** How the command line takes and shows a setting of a branch. */
interface SettingFlag<Value> {
  readonly flag: Flag.Flag<Given>
  /** The value as the admin API takes it. */
  readonly valueOf: (given: ReadonlyArray<string>) => Effect.Effect<Value | undefined, CommandFailed>
  /** The heading of a column, and the name of a field. */
  readonly heading: string
  readonly shown: (value: Value) => string
}

const once = (name: string, description: string): Flag.Flag<Given> =>
  optionalText(name, description).pipe(Flag.map((given) => given === undefined ? undefined : [given]))

const settings: { readonly [Name in SettingName]: SettingFlag<SettingValues[Name]> } = {
  quota: {
    flag: once("quota", "Verifications in a calendar month (Bangkok time), or unlimited"),
    valueOf: ([text = ""]) => {
      if (text === "unlimited") return Effect.succeed(null)
      return /^\d{1,15}$/u.test(text)
        ? Effect.succeed(Number(text))
        : Effect.fail(cannotRun(`--quota: Expected a whole number or unlimited, got "${text}"`))
    },
    heading: "quota",
    shown: (quota) => quota === null ? "unlimited" : `${quota} a month`
  },
  ipWhitelist: {
    flag: repeatable("ip", "IP address or CIDR range that may call, or * for all; may be repeated"),
    valueOf: Effect.succeed,
    heading: "callers",
    shown: (entries) => entries.join(" ")
  },
  webhookUrl: {
    flag: once("webhook", "https URL that receives the results, or none"),
    valueOf: ([text]) => Effect.succeed(text === "none" ? null : text),
    heading: "webhook",
    shown: (url) => url ?? "none"
  }
}

/** The flags of all settings, by the name of the setting. */
export const settingFlags = Object.fromEntries(settingNames.map((name) => [name, settings[name].flag])) as Readonly<
  Record<SettingName, Flag.Flag<Given>>
>

/** The given value of one setting. */
export const settingOf = <Name extends SettingName>(
  name: Name,
  given: Given
): Effect.Effect<SettingValues[Name] | undefined, CommandFailed> =>
  given === undefined ? Effect.undefined : settings[name].valueOf(given)

/** The given values, as the admin API takes them; undefined without the flag. */
export const settingsOf = (given: Readonly<Record<SettingName, Given>>): Effect.Effect<SettingChange, CommandFailed> =>
  Effect.map(
    Effect.forEach(settingNames, (name) => Effect.map(settingOf(name, given[name]), (value) => [name, value] as const)),
    Object.fromEntries
  )

const columnOf = <Name extends SettingName>(name: Name): Columns<SettingValues> => {
  const { heading, shown } = settings[name]
  return { [heading]: (values) => shown(values[name]) }
}

/** All settings, by heading. */
export const settingColumns = settingNames.map(columnOf)
  .reduce((columns, column) => ({ ...columns, ...column }))

export const shownQuota = settings.quota.shown
