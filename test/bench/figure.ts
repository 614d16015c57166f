import { Data, type Effect, type Scope } from "effect"
import type { Options } from "./options.ts"

/** One line of a table. A figure is judged by its value, which is a ratio to a baseline of the same run where it can be. */
export interface Finding {
  readonly what: string
  readonly measured: string
  readonly baseline: string
  readonly value: string
  /** Empty for what is only told. */
  readonly target: string
  readonly met: boolean | undefined
}

export interface Figure {
  readonly name: string
  readonly about: string
  readonly run: (options: Options) => Effect.Effect<ReadonlyArray<Finding>, BenchError, Scope.Scope>
}

/** A figure that could not be measured; that counts as missed. */
export class BenchError extends Data.TaggedError("BenchError")<{ readonly message: string }> {}

interface Measured {
  readonly what: string
  readonly measured: string
  readonly baseline?: string
}

export interface Target {
  readonly atLeast?: number
  readonly atMost?: number
}

/** A finding with a target for its value. */
export const judged = (measured: Measured, value: number, target: Target, unit = "×"): Finding => {
  const { atLeast, atMost } = target
  const met = (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost)
  const bounds = [
    ...(atLeast === undefined ? [] : [`≥ ${atLeast}${unit === "×" ? "" : ` ${unit}`}`]),
    ...(atMost === undefined ? [] : [`≤ ${atMost}${unit === "×" ? "" : ` ${unit}`}`])
  ]
  return { ...told(measured, value, unit), target: bounds.join(", "), met }
}

/** A finding without a target. */
export const told = ({ baseline = "", measured, what }: Measured, value?: number, unit = "×"): Finding => ({
  what,
  measured,
  baseline,
  value: value === undefined ? "" : unit === "×" ? `× ${value.toFixed(2)}` : `${shortened(value)} ${unit}`,
  target: "",
  met: undefined
})

/** A number with three figures that count, for people. */
export const shortened = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)))
