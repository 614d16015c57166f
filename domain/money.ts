import { Option, Schema } from "effect"

/** An amount of money in satang, an integer: 1 baht = 100 satang. Amounts are baht only on the wire. */
export const Satang = Schema.Int.pipe(Schema.brand("Satang"))
export type Satang = typeof Satang.Type

/** Brands an integer as satang. */
export const satang = (amount: number): Satang => Satang.make(amount)

/** A double holds every decimal number of fifteen digits. Larger amounts of baht would be rounded. */
const MAX_SATANG = 10 ** 15 - 1

/** The nearest amount in satang; none when it is out of range, or further from `baht` than `maxBaht`. */
const nearest = (baht: number, maxBaht: number): Option.Option<Satang> => {
  const inSatang = Math.round(baht * 100)
  return Math.abs(inSatang) <= MAX_SATANG && Math.abs(inSatang / 100 - baht) <= maxBaht
    ? Option.some(satang(inSatang === 0 ? 0 : inSatang))
    : Option.none()
}

/**
 * Converts baht, as a JSON number, to satang; none when the number has more than two decimals or is out of range. The
 * decimal text of the number counts, not its binary fraction: 0.3 is an amount, `0.1 + 0.2` is not.
 */
export const fromBaht = (baht: number): Option.Option<Satang> => nearest(baht, 0)

/** A millionth of a satang, in baht. Sums of some prices in floating-point numbers are off by less. */
const MAX_ROUNDING = 1e-8

/**
 * `fromBaht` for the number of a caller, who may have computed it: `0.1 + 0.2` is 30 satang (docs/spec/http.md,
 * "Amounts").
 */
export const fromComputedBaht = (baht: number): Option.Option<Satang> => nearest(baht, MAX_ROUNDING)

/** Converts satang to baht, for JSON. */
export const toBaht = (amount: Satang): number => amount / 100
