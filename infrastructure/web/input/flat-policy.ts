import { Effect } from "effect"
import type { Policy } from "../../../domain/slip/conditions.ts"
import { policyJson } from "../../../application/provisioning/policies.ts"
import { decodePolicy } from "./conditions-request.ts"
import { type Fields, renamed } from "./decode.ts"
import { asNumber } from "./read-amount.ts"

/** The fields of a policy without nesting, as forms and flags have them. */
export const policyFields = [
  "equals",
  "atLeast",
  "atMost",
  "after",
  "before",
  "withinMinutes",
  "receivers",
  "sendingBanks",
  "duplicate"
] as const
export type PolicyField = typeof policyFields[number]

const present = (fields: Fields): Fields | undefined => {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

const banksOf = (value: unknown): unknown =>
  typeof value === "string" ? value.split(/[\s,]+/u).filter((code) => code !== "") : value

const isField = (name: string | undefined): name is PolicyField => policyFields.some((field) => field === name)

/** The last part of a path that is a field: `amount.atLeast` is `atLeast`. */
export const flatPath = (path: string): string => path.split(".").findLast(isField) ?? ""

/** The policy as the admin API takes it. */
export const nestedPolicy = (fields: Fields): Fields => {
  const { after, atLeast, atMost, before, duplicate, equals, receivers, sendingBanks, withinMinutes } = fields
  const amount = present({ equals, atLeast, atMost })
  const transferredAt = present({ after, before, withinMinutes: asNumber(withinMinutes) })
  return present({ amount, transferredAt, receivers, sendingBanks: banksOf(sendingBanks), duplicate }) ?? {}
}

/** Decodes a policy by the rules of the admin API. The issues name the fields without nesting. */
export const decodeFlatPolicy = (fields: Fields) =>
  Effect.mapError(decodePolicy(nestedPolicy(fields)), (rejected) => renamed(rejected, flatPath))

/** The conditions of a policy as operators write them. */
type WrittenConditions = NonNullable<ReturnType<typeof policyJson>["conditions"]>

/** The fields of conditions as text; an absent condition has none. */
export const flatConditions = (
  conditions: WrittenConditions | null
): Readonly<Partial<Record<PolicyField, string>>> => {
  if (conditions === null) return {}
  const { amount, duplicate, receivers, sendingBanks, transferredAt } = conditions
  const values = { ...amount, ...transferredAt, receivers, sendingBanks: sendingBanks?.join(" "), duplicate }
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => value === undefined ? [] : [[name, String(value)]])
  )
}

/** The fields of a policy as text. */
export const flatPolicy = (policy: Policy | null) => flatConditions(policyJson(policy).conditions)
