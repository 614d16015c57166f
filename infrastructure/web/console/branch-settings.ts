import { initialSettings, type SettingName, settingNames, type SettingValues } from "../../../domain/branch-settings.ts"
import { withoutQuery } from "../../../domain/callback.ts"
import type { Fields } from "../input/decode.ts"
import { type Content, type Html, markup } from "../pages/html.ts"
import { fieldView } from "./forms.ts"
import type { Messages } from "./messages.ts"
import type { PageContext } from "./page-context.ts"

/** How pages show a setting of a branch, and how a form asks for it. */
interface SettingView<Value> {
  /** The kind of the form's field. */
  readonly kind: "number" | "url" | "lines"
  /** The value as the form has it. */
  readonly written: (value: Value) => string
  /** What was entered, as the admin API takes it. Text that is no value stays: the decoder refuses it. */
  readonly entered: (text: unknown) => unknown
  readonly shown: (value: Value, messages: Messages) => Content
}

const text = (value: string) => markup`<span class="any">${value}</span>`

const views: { readonly [Name in SettingName]: SettingView<SettingValues[Name]> } = {
  quota: {
    kind: "number",
    written: (quota) => quota?.toString() ?? "",
    entered: (entered = null) =>
      typeof entered === "string" && /^\d+$/u.test(entered.trim()) ? Number(entered) : entered,
    shown: (quota, { common }) => quota ?? common.unlimited
  },
  ipWhitelist: {
    kind: "lines",
    written: (entries) => entries.join("\n"),
    entered: (entered) => typeof entered === "string" ? entered.split(/[\s,]+/u).filter((entry) => entry !== "") : [],
    shown: (entries) => text(entries.join(", "))
  },
  webhookUrl: {
    kind: "url",
    written: (url) => url ?? "",
    entered: (entered = null) => entered,
    shown: (url, { common }) => url === null ? common.none : text(withoutQuery(url))
  }
}

/** The field of a setting in a form; without a value that of a new branch. */
export const settingField = <Name extends SettingName>(
  context: PageContext,
  name: Name,
  value: SettingValues[Name] = initialSettings[name]
): Html => {
  const { hint, label } = context.messages.branchSettings[name]
  const { kind, written } = views[name]
  return fieldView(context, { name, label, hint, kind, value: written(value) })
}

/** The entered value of a setting, as the admin API takes it. */
export const enteredSetting = (name: SettingName, fields: Fields): unknown => views[name].entered(fields[name])

export const settingFieldViews = (context: PageContext, values: SettingValues = initialSettings): ReadonlyArray<Html> =>
  settingNames.map((name) => settingField(context, name, values[name]))

export const enteredSettings = (fields: Fields): Fields =>
  Object.fromEntries(settingNames.map((name) => [name, enteredSetting(name, fields)]))

/** A setting on a page. */
export const settingFact = <Name extends SettingName>(
  messages: Messages,
  name: Name,
  value: SettingValues[Name]
): readonly [string, Content] => [messages.branchSettings[name].fact, views[name].shown(value, messages)]

export const settingFacts = (messages: Messages, values: SettingValues): ReadonlyArray<readonly [string, Content]> =>
  settingNames.map((name) => settingFact(messages, name, values[name]))
