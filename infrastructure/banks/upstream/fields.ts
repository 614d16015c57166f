import { Option } from "effect"
import { fromBaht, type Satang } from "../../../domain/money.ts"

/** A JSON object as it was read; what is no object has no fields. */
export type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}

/** The text that stands there, a number included; empty for null, for nothing and for what is neither. */
export const textOf = (value: unknown): string => {
  if (typeof value === "string") return value.trim()
  return typeof value === "number" && Number.isSafeInteger(value) ? String(value) : ""
}

/** Banks write baht as a number or as text, with or without commas between thousands. None where it is no amount. */
export const amountOf = (value: unknown): Option.Option<Satang> => {
  if (typeof value === "number") return fromBaht(value)
  if (typeof value !== "string" || !written.test(value.trim())) return Option.none()
  return fromBaht(Number(value.replaceAll(",", "")))
}

const written = /^(\d+|\d{1,3}(,\d{3})+)(\.\d{1,2})?$/u
