import { Data, type Effect, type Scope } from "effect"
import type { Options } from "./options.ts"

/** One line of a table. Where possible, its value is a ratio to a baseline of the same run. */
export interface Finding {
  readonly what: string
  readonly measured: string
  readonly baseline: string
  readonly value: string
  /** Empty for an informational finding. */
  readonly target: string
  /** Undefined for an informational finding. */
  readonly verdict: Verdict | undefined
}

export type Verdict = "met" | "missed" | "below floor"

export interface Figure {
  readonly name: string
  readonly about: string
  readonly run: (options: Options) => Effect.Effect<ReadonlyArray<Finding>, BenchError, Scope.Scope>
}

/** A figure could not be measured, which counts as a missed target. */
export class BenchError extends Data.TaggedError("BenchError")<{ readonly message: string }> {}

interface Measured {
  readonly what: string
  readonly measured: string
  readonly baseline?: string
}

export interface Target {
  readonly atLeast?: number
  readonly atMost?: number
  /** Below it, the work on the target is not finished. */
  readonly floor?: number
}

/** A finding whose value must meet a target. */
export const checkedFinding = (measured: Measured, value: number, target: Target, unit = "×"): Finding => {
  const { atLeast, atMost, floor } = target
  const isMet = (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost)
  const suffix = unit === "×" ? "" : ` ${unit}`
  const bounds = [
    ...(atLeast === undefined ? [] : [`≥ ${atLeast}${suffix}`]),
    ...(atMost === undefined ? [] : [`≤ ${atMost}${suffix}`]),
    ...(floor === undefined ? [] : [`floor ${floor}${suffix}`])
  ]
  const verdict = isMet ? "met" : floor === undefined || value >= floor ? "missed" : "below floor"
  return { ...infoFinding(measured, value, unit), target: bounds.join(", "), verdict }
}

/** A finding without a target. */
export const infoFinding = ({ baseline = "", measured, what }: Measured, value?: number, unit = "×"): Finding => ({
  what,
  measured,
  baseline,
  value: value === undefined ? "" : unit === "×" ? `× ${value.toFixed(2)}` : `${formatNumber(value)} ${unit}`,
  target: "",
  verdict: undefined
})

/** A number with three significant digits, for people. */
export const formatNumber = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)))
