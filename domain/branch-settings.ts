import { Schema } from "effect"

// Each setting of a branch that an operator changes stands here once. Events, commands, state, rows and the checks that
// no place forgets one follow from it. Names of events and of their fields are the storage format: add, never edit.

/** A setting: the event that sets it, the field of the event that holds the value, and the value before the first event. */
const setting = <const Event extends string, const Field extends string, S extends Schema.Codec<unknown, unknown>>(
  event: Event,
  field: Field,
  schema: S,
  initial: NoInfer<S["Type"]>
) => ({ event, field, schema, initial })

export const branchSettings = {
  /** Verifications a calendar month in Asia/Bangkok; null is unlimited. */
  quota: setting("QuotaSet", "quota", Schema.NullOr(Schema.Int), null),
  /** IPv4 or IPv6 addresses and CIDR ranges, or `*` for every caller. */
  ipWhitelist: setting("IpWhitelistSet", "entries", Schema.Array(Schema.String), ["*"]),
  /** Where results are sent that name no URL; null for nowhere. */
  webhookUrl: setting("WebhookUrlSet", "url", Schema.NullOr(Schema.String), null)
}

type Table = typeof branchSettings
export type SettingName = keyof Table

export const settingNames = Object.keys(branchSettings) as ReadonlyArray<SettingName>

/** The values of all settings. */
export type SettingValues = { readonly [Name in SettingName]: Table[Name]["schema"]["Type"] }

/** The settings to change. Absent settings stay as they are. */
export type SettingChange = { readonly [Name in SettingName]?: SettingValues[Name] | undefined }

/** A value for each setting, in the order of the table. */
const mapped = <Of>(valueOf: (name: SettingName) => unknown): Of =>
  Object.fromEntries(settingNames.map((name) => [name, valueOf(name)])) as Of

/** The schemas of the values, for rows. */
export const settingFields = mapped<{ readonly [Name in SettingName]: Table[Name]["schema"] }>(
  (name) => branchSettings[name].schema
)

/** The values of a branch that was just created. */
export const initialSettings = mapped<SettingValues>((name) => branchSettings[name].initial)

/** The settings among other fields. */
export const settingsIn = (fields: SettingValues): SettingValues => mapped((name) => fields[name])

/** The fields of the events, by the name of the event. */
export const settingEvents = Object.fromEntries(
  settingNames.map((
    name
  ) => [branchSettings[name].event, { [branchSettings[name].field]: branchSettings[name].schema }])
) as { readonly [Name in SettingName as Table[Name]["event"]]: Record<Table[Name]["field"], Table[Name]["schema"]> }

/** An event that sets one setting. */
export type SettingEvent = {
  readonly [Name in SettingName]:
    & { readonly _tag: Table[Name]["event"] }
    & { readonly [Field in Table[Name]["field"]]: Table[Name]["schema"]["Type"] }
}[SettingName]

const nameByEvent: ReadonlyMap<string, SettingName> = new Map(
  settingNames.map((name) => [branchSettings[name].event, name])
)

export const isSettingEvent = <Event extends { readonly _tag: string }>(
  event: Event
): event is Extract<Event, { readonly _tag: SettingEvent["_tag"] }> => nameByEvent.has(event._tag)

/** The setting that an event sets, with its value. */
export const settingOf = (event: SettingEvent): Partial<SettingValues> => {
  const name = nameByEvent.get(event._tag)
  if (name === undefined) return {}
  const fields: Readonly<Record<string, unknown>> = event
  return { [name]: fields[branchSettings[name].field] }
}

/** The event that sets a setting to a value. */
export const settingEvent = <Name extends SettingName>(name: Name, value: SettingValues[Name]): SettingEvent =>
  ({ _tag: branchSettings[name].event, [branchSettings[name].field]: value }) as SettingEvent

const isSame = (one: unknown, other: unknown): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((entry, index) => entry === other[index])
    : one === other

/** The events of the settings that change. */
export const settingChanges = (change: SettingChange, current: SettingValues): ReadonlyArray<SettingEvent> =>
  settingNames.flatMap((name) => {
    const value = change[name]
    return value === undefined || isSame(value, current[name]) ? [] : [settingEvent(name, value)]
  })
