import { Effect, Option } from "effect"
import { fromBaht, type Satang, toBaht } from "../../../domain/money.ts"
import { type Fields, invalid } from "../input/decode.ts"

const format = new Intl.NumberFormat("en-GB", {
  style: "currency",
  currency: "THB",
  currencyDisplay: "narrowSymbol"
})

/** An amount in baht as people write it in Thailand, such as ฿1,250.50. */
export const amountText = (amount: Satang): string => format.format(toBaht(amount))

/** The expected amount of a form; undefined when the field is empty. */
export const expectedAmountIn = Effect.fnUntraced(function* ({ amount }: Fields) {
  if (typeof amount !== "string" || amount.trim() === "") return undefined
  const baht = amountOf(amount)
  const satang = baht === undefined ? Option.none<Satang>() : fromBaht(baht)
  if (Option.isNone(satang) || satang.value <= 0) {
    return yield* invalid({ path: "amount", message: "Expected an amount in baht" })
  }
  return satang.value
})

const THAI_ZERO = 0x0e50

/** Baht in a text that a person typed, with Thai or Arabic digits and separators; undefined for other texts. */
export const amountOf = (text: string): number | undefined => {
  const plain = text
    .replaceAll(/[๐-๙]/gu, (digit) => String((digit.codePointAt(0) ?? THAI_ZERO) - THAI_ZERO))
    .replaceAll(/[\s,฿]|บาท|baht|THB/giu, "")
  return /^\d{1,9}(?:\.\d{1,2})?$/u.test(plain) ? Number(plain) : undefined
}
