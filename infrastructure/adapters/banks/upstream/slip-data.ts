import { Option, Result, Schema } from "effect"
import { findBank } from "../../../../domain/bank.ts"
import { fromBaht, type Satang, satang } from "../../../../domain/money.ts"
import { type Receiver, Transfer } from "../../../../domain/slip/transfer.ts"
import { fromBangkok, slipTime } from "../../../../domain/time.ts"
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
  const { sendingBank, transRef } = question
  if (textOf(data["transRef"]) !== transRef || textOf(data["sendingBank"]) !== sendingBank) {
    return Result.fail("answered about another slip or did not name the slip")
  }
  const amount = Option.getOrUndefined(amountOf(data["amount"]))
  if (amount === undefined || amount <= 0) return Result.fail("found the slip, but without a valid amount")
  const time = timeOf(data)
  if (time === undefined) return Result.fail("found the slip, but without a valid time")
  const merchantId = textOf(data["toMerchantId"])
  return decodeTransfer({
    transRef,
    sendingBank,
    transferredAt: slipTime(time),
    // Every slip QR has the Thai country tag 51: other payloads are refused before a bank is asked.
    countryCode: textOf(data["countryCode"]) || "TH",
    amount,
    ...localOf(data),
    // Nothing depends on the fee: an invalid fee counts as none.
    fee: Option.getOrElse(Option.filter(amountOf(data["transFeeAmount"]), (fee) => fee >= 0), () => satang(0)),
    ref1: textOf(data["ref1"]),
    ref2: textOf(data["ref2"]),
    ref3: textOf(data["ref3"]),
    sender: partyOf(data["sender"], sendingBank),
    receiver: {
      ...partyOf(data["receiver"], textOf(data["receivingBank"])),
      merchantId: merchantId === "" ? null : merchantId
    }
  })
}

/** Builds a transfer from fields that were read one by one. Fails with the reason. */
export const decodeTransfer = (fields: unknown): Result.Result<Transfer, string> =>
  Result.mapError(decode(fields), () => "found the slip, but its data is unusable")

const decode = Schema.decodeUnknownResult(Transfer)

/** Banks write baht as a number or as text, with or without commas between thousands. */
export const amountOf = (value: unknown): Option.Option<Satang> => {
  if (typeof value === "number") return fromBaht(value)
  if (typeof value !== "string" || !amountText.test(value.trim())) return Option.none()
  return fromBaht(Number(value.replaceAll(",", "")))
}

const amountText = /^(\d+|\d{1,3}(,\d{3})+)(\.\d{1,2})?$/u

/** The amount in the local currency of the payment, when both fields are present. */
const localOf = (data: Fields): Pick<Transfer, "local"> => {
  const amount = Option.getOrUndefined(amountOf(data["paidLocalAmount"]))
  const currency = textOf(data["paidLocalCurrency"])
  return amount === undefined || amount <= 0 || !/^\d{3}$/u.test(currency) ? {} : { local: { amount, currency } }
}

/** Reads `transDate` (yyyyMMdd) and `transTime` (HH:mm:ss or HHmmss) as milliseconds since 1970. */
const timeOf = (data: Fields): number | undefined => {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/u.exec(textOf(data["transDate"])) ?? []
  const [, hour, , minute, second] = /^(\d{2})(:?)(\d{2})\2(\d{2})$/u.exec(textOf(data["transTime"])) ?? []
  return fromBangkok(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second))
}

type Party = Omit<Receiver, "merchantId">

/** Reads the sender or the receiver. An empty bank code means no bank. */
const partyOf = (value: unknown, bankCode: string): Party => {
  const party = fieldsOf(value)
  const account = numberOf(party["account"])
  const proxy = numberOf(party["proxy"])
  return {
    bank: slipBank(bankCode),
    account: {
      name: namesOf([textOf(party["displayName"]), textOf(party["name"])]),
      ...(account === undefined ? {} : { bank: account }),
      ...(proxy === undefined ? {} : { proxy })
    }
  }
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
export const namesOf = (names: ReadonlyArray<string>): Party["account"]["name"] => {
  const th = names.find((name) => thai.test(name))
  const en = names.findLast((name) => name !== "" && !thai.test(name))
  return { ...(th === undefined ? {} : { th }), ...(en === undefined ? {} : { en }) }
}

const thai = /\p{Script=Thai}/u

/** A partly masked number. Banks write an absent number as null or "", or leave the field out. */
const numberOf = (value: unknown): Party["account"]["proxy"] => {
  const number = fieldsOf(value)
  const account = textOf(number["value"])
  return account === "" ? undefined : { type: textOf(number["type"]), account }
}
