import { Option } from "effect"
import { banks } from "../../domain/bank.ts"
import { callbackHost } from "../../domain/callback.ts"
import { parseId } from "../../domain/ids.ts"
import { fromBaht, type Satang } from "../../domain/money.ts"
import { readQr } from "../../domain/slip/qr-kind.ts"
import { TRUEMONEY } from "../../domain/slip/wallet-payload.ts"

/** A slip by its bank and reference. */
export interface NamedSlip {
  readonly sendingBank: string
  readonly transRef: string
}

/** What a text can mean in the search of operators. Undefined: it cannot mean that. */
export interface SearchText {
  /** Without white space at its ends. */
  readonly text: string
  /** An id of the service, in lower case. */
  readonly id: string | undefined
  /** An id of a request, which is case-sensitive. */
  readonly requestId: string | undefined
  /** `BANK:REFERENCE`, or the text of a QR code. */
  readonly slip: NamedSlip | undefined
  /** A whole reference without its bank, or the end of one. */
  readonly reference: string | undefined
  /** A host of callbacks, as `callbackHost` returns it. */
  readonly host: string | undefined
  readonly amount: Satang | undefined
}

/** Names of banks that people write instead of codes: `KBANK`. */
const bankCodes = new Map(banks.map(({ code, shortCode }) => [shortCode, code]))

const bankCodeOf = (bank: string): string => {
  const name = bank.toUpperCase()
  return name === TRUEMONEY.toUpperCase() ? TRUEMONEY : bankCodes.get(name) ?? bank
}

const slipOf = (text: string): NamedSlip | undefined => {
  const [, bank, reference] = /^(\w{1,10}):\s*([^\s:/]{1,64})$/u.exec(text) ?? []
  if (bank !== undefined && reference !== undefined) return { sendingBank: bankCodeOf(bank), transRef: reference }
  const { kind, sendingBank, transRef } = readQr(text)
  return kind === "slip" && sendingBank !== null && transRef !== null ? { sendingBank, transRef } : undefined
}

const hostOf = (text: string): string | undefined => {
  if (/^https?:\/\/\S+$/iu.test(text)) return URL.canParse(text) ? callbackHost(text) : undefined
  const isHost = /^(?:[^\s/?#@\\:]+\.[^\s/?#@\\:]+|localhost)(?::\d+)?$/iu.test(text)
  return isHost && URL.canParse(`https://${text}/`) ? callbackHost(`https://${text}/`) : undefined
}

const THAI_ZERO = "๐".charCodeAt(0)

const latinDigits = (text: string): string =>
  text.replaceAll(/[๐-๙]/gu, (digit) => String(digit.charCodeAt(0) - THAI_ZERO))

/** Such as `1250`, `1,250.50`, `฿1,250` and `1250 baht`. */
const AMOUNT = /^(?:฿|thb)?\s*(\d{1,13}|\d{1,3}(?:,\d{3}){1,4})(\.\d{1,2})?\s*(?:฿|thb|baht|บาท)?$/iu

const amountOf = (text: string): Satang | undefined => {
  const [, whole, fraction = ""] = AMOUNT.exec(latinDigits(text)) ?? []
  return whole === undefined ? undefined : Option.getOrUndefined(fromBaht(Number(whole.replaceAll(",", "") + fraction)))
}

/** Characters that ids of requests have, also those that callers chose. */
const REQUEST_ID = /^[\w.:-]{1,64}$/u

/** Six characters at least: a shorter end of a reference has too many slips. */
const REFERENCE = /^[A-Za-z0-9]{6,64}$/u

/** Reads the text of a search. It may have white space at its ends. */
export const readSearchText = (given: string): SearchText => {
  const text = given.trim()
  const amount = amountOf(text)
  return {
    text,
    id: parseId(text),
    requestId: REQUEST_ID.test(text) ? text : undefined,
    slip: slipOf(text),
    reference: REFERENCE.test(text) ? text : undefined,
    // `100.50` is an address too, in a form that callbacks do not have.
    host: amount === undefined ? hostOf(text) : undefined,
    amount
  }
}
