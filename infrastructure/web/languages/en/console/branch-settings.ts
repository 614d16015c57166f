import type { SettingName } from "../../../../../domain/branch-settings.ts"

/** The texts of one setting of a branch. */
export interface SettingTexts {
  /** In the state of a branch at a time. */
  readonly name: string
  /** Beside the value on the page of a branch. */
  readonly fact: string
  /** Of the field of a form. */
  readonly label: string
  readonly hint: string
  /** What a form accepts, when it refused the value. */
  readonly refused: string
}

/** The texts of the settings of a branch in English. */
export const enBranchSettings = {
  quota: {
    name: "Quota",
    fact: "Quota per month",
    label: "Quota per month",
    hint: "Leave empty for no limit.",
    refused: "A whole number up to 1,000,000,000, or empty."
  },
  ipWhitelist: {
    name: "Allowed callers",
    fact: "Allowed callers",
    label: "Allowed callers, one per line",
    hint: "IPv4, IPv6, CIDR ranges, or * for any address.",
    refused: "1 to 1,000 entries. Each is an IPv4 or IPv6 address, a CIDR range, or *."
  },
  webhookUrl: {
    name: "Webhook URL",
    fact: "Webhook URL",
    label: "Webhook URL",
    hint: "https. Leave empty for none.",
    refused: "An https URL of up to 2,048 characters, without a user name or password."
  }
} satisfies Readonly<Record<SettingName, SettingTexts>>

/** One text of each setting. */
export const settingTexts = (
  texts: Readonly<Record<SettingName, SettingTexts>>,
  kind: keyof SettingTexts
): Readonly<Record<SettingName, string>> =>
  Object.fromEntries(Object.entries(texts).map(([name, all]) => [name, all[kind]])) as Record<SettingName, string>
