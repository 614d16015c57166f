import { Schema } from "effect"
import { Satang } from "../money.ts"

/** A bank as a slip names it; empty strings where the upstream has no value. */
export const SlipBank = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  short: Schema.String
})

/** A partly masked account or proxy number with the upstream's name of its kind (BANKAC, MSISDN …). */
export const MaskedNumber = Schema.Struct({
  type: Schema.String,
  account: Schema.String
})

const partyFields = {
  bank: SlipBank,
  account: Schema.Struct({
    name: Schema.Struct({
      th: Schema.optionalKey(Schema.String),
      en: Schema.optionalKey(Schema.String)
    }),
    bank: Schema.optionalKey(MaskedNumber),
    proxy: Schema.optionalKey(MaskedNumber)
  })
}

export const Sender = Schema.Struct(partyFields)
export type Sender = typeof Sender.Type
export const Receiver = Schema.Struct({ ...partyFields, merchantId: Schema.NullOr(Schema.String) })
export type Receiver = typeof Receiver.Type

/**
 * A bank's answer about a transfer that it knows: the content of a slip (docs/spec/http.md, "rawSlip"), with money in
 * satang. It is personal data: the log stores it sealed only.
 */
export const Transfer = Schema.Struct({
  transRef: Schema.String,
  sendingBank: Schema.String,
  /** ISO 8601 with the offset +07:00. */
  transferredAt: Schema.String,
  countryCode: Schema.String,
  /** Above 0: an answer with another amount does not prove a payment, so it cannot be charged. */
  amount: Satang.check(Schema.isGreaterThan(0)),
  /** Hundredths of the local currency, and its ISO 4217 numeric code ("764" is baht). */
  local: Schema.optionalKey(Schema.Struct({ amount: Schema.Int, currency: Schema.String })),
  fee: Satang.check(Schema.isGreaterThanOrEqualTo(0)),
  ref1: Schema.String,
  ref2: Schema.String,
  ref3: Schema.String,
  sender: Sender,
  receiver: Receiver
})
export type Transfer = typeof Transfer.Type

type Party = Sender | Receiver

/** The bank of a party by the shortest name that the slip has; may be empty. */
export const bankShown = ({ bank: { id, name, short } }: Party): string => short || name || id

/** The name of a party, Thai before English; undefined when the slip shows none. */
export const nameShown = ({ account: { name: { en, th } } }: Party): string | undefined => th ?? en

/** The account of a party as the slip shows it, or the proxy that was paid to; empty when it shows neither. */
export const numberShown = ({ account: { bank, proxy } }: Party): string => bank?.account ?? proxy?.account ?? ""
