import { Option, Schema } from "effect"

/** An amount of money in satang, an integer: 1 baht = 100 satang. Amounts are baht only on the wire. */
export const Satang = Schema.Int.pipe(Schema.brand("Satang"))
export type Satang = typeof Satang.Type

/** Takes an integer number of satang that is known to be one. */
export const satang = (amount: number): Satang => Satang.make(amount)

/** Fifteen digits, as many as a double keeps of every decimal number: beyond them baht round to a neighbour. */
const MAX_SATANG = 10 ** 15 - 1

/**
 * Baht as they stand in JSON, to satang; none when the number has more than two decimals or is out of range.
 * `0.1 + 0.2` is no amount that a person wrote, but 0.3 is: the decimal text of the number decides, never
 * its binary fraction.
 */
export const fromBaht = (baht: number): Option.Option<Satang> => {
  const inSatang = Math.round(baht * 100)
  return Math.abs(inSatang) <= MAX_SATANG && inSatang / 100 === baht
    ? Option.some(satang(inSatang === 0 ? 0 : inSatang))
    : Option.none()
}

/** Satang to the number of baht that stands in JSON. */
export const toBaht = (amount: Satang): number => amount / 100
