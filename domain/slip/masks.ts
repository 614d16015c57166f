import type { Receiver, Sender, Transfer } from "./transfer.ts"

/** Digits of a number that stay visible. */
const DIGITS_SHOWN = 4

/** Keeps the first letter of each word, with the marks above and below it: `นาย สมชาย ใจดี` is `น*** ส*** ใ***`. */
export const maskName = (name: string): string =>
  name.trim().split(/\s+/u).map((word) => word.replace(/^(\P{M}\p{M}*).*$/su, "$1***")).join(" ")

/**
 * Keeps the last four digits at most, and the characters that were hidden before: `xxx-x-x1234-x` stays, `0812345678`
 * is `xxxxxx5678`.
 */
export const maskNumber = (number: string): string => {
  let remaining = (number.match(/\d/gu) ?? []).length
  return number.replaceAll(/\d/gu, (digit) => remaining-- > DIGITS_SHOWN ? "x" : digit)
}

/** Keeps the last four characters of a reference. */
export const maskReference = (reference: string): string =>
  reference.slice(0, -DIGITS_SHOWN).replaceAll(/./gsu, "x") + reference.slice(-DIGITS_SHOWN)

const maskNumbers = <A extends { readonly account: string }>(number: A): A => ({
  ...number,
  account: maskNumber(number.account)
})

const maskParty = <A extends Sender | Receiver>(party: A): A => {
  const { account: { bank, name: { en, th }, proxy } } = party
  return {
    ...party,
    account: {
      name: { ...(th === undefined ? {} : { th: maskName(th) }), ...(en === undefined ? {} : { en: maskName(en) }) },
      ...(bank === undefined ? {} : { bank: maskNumbers(bank) }),
      ...(proxy === undefined ? {} : { proxy: maskNumbers(proxy) })
    }
  }
}

/** A transfer without personal data: banks, initials and last digits stay; references are removed. */
export const maskTransfer = (transfer: Transfer): Transfer => {
  const { receiver, sender } = transfer
  const { merchantId } = receiver
  return {
    ...transfer,
    transRef: "",
    ref1: "",
    ref2: "",
    ref3: "",
    sender: maskParty(sender),
    receiver: { ...maskParty(receiver), merchantId: merchantId === null ? null : maskNumber(merchantId) }
  }
}
