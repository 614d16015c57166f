import { Option, Result, Schema } from "effect"
import { findBank } from "../../../../domain/bank.ts"
import { fromBaht, type Satang, satang } from "../../../../domain/money.ts"
import { type Receiver, Transfer } from "../../../../domain/slip/transfer.ts"
import { fromBangkok, parseTimeInBangkok, slipTime } from "../../../../domain/time.ts"
import type { SlipQuestion } from "../../../../ports/bank-gateway.ts"

/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** The fields of a value; empty when the value is not an object. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}

/** A text or an integer as trimmed text; empty for anything else. */
export const textOf = (value: unknown): string => {
  if (typeof value === "string") return value.trim()
  return typeof value === "number" && Number.isSafeInteger(value) ? String(value) : ""
}

/**
 * Reads the slip data of SCB and KBank, which have the same format (`transRef`, `transDate`, `sender` …).
 *
 * Accepts null, empty and absent fields, and amounts as text. Requires the slip that was asked about, an amount and a
 * time. Fails with the reason, which quotes nothing of the data.
 */
export const readSlipData = (value: unknown, question: SlipQuestion): Result.Result<Transfer, string> => {
  const data = fieldsOf(value)
  return readTransfer(question, {
    isAbout: textOf(data["transRef"]) === question.transRef && textOf(data["sendingBank"]) === question.sendingBank,
    amount: data["amount"],
    at: timeOf(data),
    countryCode: data["countryCode"],
    local: { amount: data["paidLocalAmount"], currency: data["paidLocalCurrency"] },
    fee: data["transFeeAmount"],
    references: data,
    sender: partyIn(data["sender"], question.sendingBank),
    receiver: partyIn(data["receiver"], textOf(data["receivingBank"])),
    merchantId: data["toMerchantId"]
  })
}

/** What an answer says about the slip that it found. Values are as the answer has them. */
interface FoundSlip {
  /** Whether it is the slip that was asked about. */
  readonly isAbout: boolean
  readonly amount: unknown
  /** The time of the transfer in milliseconds since 1970; undefined when it is not valid. */
  readonly at: number | undefined
  readonly countryCode?: unknown
  /** The amount in the local currency of the payment. Some banks state none: then it is 0, and the currency is empty. */
  readonly local?: Fields
  readonly fee?: unknown
  /** The fields with `ref1` to `ref3`. */
  readonly references: Fields
  readonly sender: Party
  readonly receiver: Party
  readonly merchantId?: unknown
}

/** Checks what every answer must say about a slip. Fails with the reason, which quotes nothing of the answer. */
export const checkSlip = (
  { amount: stated, at, isAbout }: Pick<FoundSlip, "amount" | "at" | "isAbout">
): Result.Result<{ readonly amount: Satang; readonly transferredAt: string }, string> => {
  if (!isAbout) return Result.fail("answered about another slip or did not name the slip")
  const amount = positive(stated)
  if (amount === undefined) return Result.fail("found the slip, but without a valid amount")
  if (at === undefined) return Result.fail("found the slip, but without a valid time")
  return Result.succeed({ amount, transferredAt: slipTime(at) })
}

/** Makes the transfer of the slip that was asked about. Fails as `checkSlip`, or when a field is unusable. */
export const readTransfer = (
  { sendingBank, transRef }: SlipQuestion,
  { countryCode, fee, local = {}, merchantId, receiver, references, sender, ...found }: FoundSlip
): Result.Result<Transfer, string> =>
  Result.flatMap(checkSlip(found), (checked) => {
    const localAmount = positive(local["amount"])
    const currency = textOf(local["currency"])
    const transfer = decode({
      transRef,
      sendingBank,
      ...checked,
      // Every slip QR has the Thai country tag 51: other payloads are refused before a bank is asked.
      countryCode: textOf(countryCode) || "TH",
      ...(localAmount === undefined || !/^\d{3}$/u.test(currency) ? {} : { local: { amount: localAmount, currency } }),
      // Nothing depends on the fee: an invalid fee counts as none.
      fee: Option.getOrElse(Option.filter(amountOf(fee), (fee) => fee >= 0), () => satang(0)),
      ref1: textOf(references["ref1"]),
      ref2: textOf(references["ref2"]),
      ref3: textOf(references["ref3"]),
      sender,
      receiver: { ...receiver, merchantId: textOf(merchantId) || null }
    })
    return Result.mapError(transfer, () => "found the slip, but its data is unusable")
  })

const decode = Schema.decodeUnknownResult(Transfer)

/** Banks write baht as a number or as text, with or without commas between thousands. */
const amountOf = (value: unknown): Option.Option<Satang> => {
  if (typeof value === "number") return fromBaht(value)
  if (typeof value !== "string" || !amountText.test(value.trim())) return Option.none()
  return fromBaht(Number(value.replaceAll(",", "")))
}

const amountText = /^(\d+|\d{1,3}(,\d{3})+)(\.\d{1,2})?$/u

/** An amount above 0; undefined for anything else. */
const positive = (value: unknown): Satang | undefined =>
  Option.getOrUndefined(Option.filter(amountOf(value), (amount) => amount > 0))

/** Reads `transDate` (yyyyMMdd) and `transTime` (HH:mm:ss or HHmmss) as milliseconds since 1970. */
const timeOf = (data: Fields): number | undefined => {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/u.exec(textOf(data["transDate"])) ?? []
  const [, hour, , minute, second] = /^(\d{2})(:?)(\d{2})\2(\d{2})$/u.exec(textOf(data["transTime"])) ?? []
  return fromBangkok(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second))
}

/** A time with an offset, in milliseconds since 1970; undefined for anything else. */
export const zonedTime = (value: unknown): number | undefined => {
  const time = parseTimeInBangkok(textOf(value), "first")
  return time?.isBangkok === false ? time.at : undefined
}

type Party = Omit<Receiver, "merchantId">

/** A partly masked number. An absent one has no account: null, "" or nothing. */
export interface MaskedNumber {
  readonly type: unknown
  readonly account: unknown
}

/** The sender or the receiver of a slip. An empty bank code means no bank. */
export const partyOf = (
  bankCode: string,
  names: ReadonlyArray<unknown>,
  ...numbers: readonly [bank: MaskedNumber, proxy: MaskedNumber]
): Party => {
  const [bank, proxy] = numbers.map(({ account, type }) => ({ type: textOf(type), account: textOf(account) }))
  return {
    bank: slipBank(bankCode),
    account: {
      name: namesOf(names.map(textOf)),
      ...(bank === undefined || bank.account === "" ? {} : { bank }),
      ...(proxy === undefined || proxy.account === "" ? {} : { proxy })
    }
  }
}

/** The code of a party's bank in the answers of vendors; empty without one. */
export const bankIn = (party: unknown): string => textOf(fieldsOf(fieldsOf(party)["bank"])["id"])

/** Whether a vendor's answer names the slip that was asked about. Some name no sending bank. */
export const isAboutSlip = ({ sender, transRef }: Fields, question: SlipQuestion): boolean =>
  textOf(transRef) === question.transRef && ["", question.sendingBank].includes(bankIn(sender))

const partyIn = (value: unknown, bankCode: string): Party => {
  const { account, displayName, name, proxy } = fieldsOf(value)
  return partyOf(bankCode, [displayName, name], numberIn(account), numberIn(proxy))
}

const numberIn = (value: unknown): MaskedNumber => {
  const { type, value: account } = fieldsOf(value)
  return { type, account }
}

/** A bank in the format of a slip. An unknown code has no names. */
export const slipBank = (code: string): Receiver["bank"] => {
  const bank = findBank(code)
  return { id: code, name: bank?.nameTh ?? "", short: bank?.shortCode ?? "" }
}

/**
 * The names of a party by script. Usually `displayName` is Thai and `name` is English. Companies, foreigners and some
 * banks have only one name, in either field. The order decides only when both names have the same script.
 */
const namesOf = (names: ReadonlyArray<string>): Party["account"]["name"] => {
  const th = names.find((name) => thai.test(name))
  const en = names.findLast((name) => name !== "" && !thai.test(name))
  return { ...(th === undefined ? {} : { th }), ...(en === undefined ? {} : { en }) }
}

const thai = /\p{Script=Thai}/u
