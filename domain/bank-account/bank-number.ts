import { Result, Schema } from "effect"

/** A number that can't be one of that kind; the message says what is expected. */
export class BankNumberRefused extends Schema.TaggedError<BankNumberRefused>()("BankNumberRefused", {
  message: Schema.String
}) {}

interface Kind {
  readonly pattern: RegExp
  readonly expected: string
}

const phone: Kind = { pattern: /^0\d{9}$/u, expected: "a phone number of 10 digits that begins with 0 (or with 66)" }
const nationalId: Kind = { pattern: /^\d{13}$/u, expected: "a national or tax id of 13 digits" }
const wallet: Kind = { pattern: /^\d{15}$/u, expected: "an e-Wallet id of 15 digits" }
const shop: Kind = { pattern: /^\d{10,20}$/u, expected: "a biller or shop number of 10 to 20 digits" }
const account: Kind = { pattern: /^\d{10,15}$/u, expected: "the whole account number, 10 to 15 digits" }

const proxies: Readonly<Record<string, Kind>> = { MSISDN: phone, NATID: nationalId, EWALLETID: wallet }

const kindOf = (bankCode: string, extraVerify: string | null): Kind => {
  if (bankCode === "KSHOP") return shop
  return bankCode === "PROMPTPAY" ? proxies[extraVerify ?? ""] ?? phone : account
}

/** People write numbers with spaces and with hyphens of every width. */
const SEPARATORS = /[\s\p{Pd}]/gu

/** `+66`, `66` and `0066` before a number are the `0` that people dial. */
const COUNTRY = /^(?:\+|00)?66(?=\d{9}$)/u

/**
 * A number as it is stored: digits alone (docs/spec/http.md, "Bank accounts"). One phone is one number, however it is
 * written: otherwise it could be registered twice. Lengths are judged by kind, and generously: what is refused here
 * could never match a slip.
 *
 * `bankCode` and `extraVerify` are ones that belong together.
 */
export const bankNumber = (
  bankCode: string,
  extraVerify: string | null,
  written: string
): Result.Result<string, BankNumberRefused> => {
  const kind = kindOf(bankCode, extraVerify)
  const plain = written.replace(SEPARATORS, "")
  const digits = kind === phone ? plain.replace(COUNTRY, "0") : plain
  return kind.pattern.test(digits)
    ? Result.succeed(digits)
    : Result.fail(new BankNumberRefused({ message: `Expected ${kind.expected}` }))
}
