import { Schema } from "effect"
import { AccountType } from "../../domain/bank-account/fields.ts"
import { Matching } from "../../domain/slip/matching/receiving-account.ts"
import { Baht, Count, Id, SlipTime, Time } from "./values.ts"

const Bank = Schema.Struct({
  id: Schema.String.annotate({ description: "Code of the bank, three digits; empty when it is not known." }),
  name: Schema.String,
  short: Schema.String
}).annotate({ identifier: "SlipBank", description: "A bank as the slip names it; empty texts where nothing is known." })

const Number = Schema.Struct({
  type: Schema.String.annotate({ description: "Kind of the number: BANKAC, or MSISDN, NATID, EWALLETID, BILLERID …" }),
  account: Schema.String.annotate({ description: "The number, partly masked with x." })
}).annotate({ identifier: "MaskedNumber" })

const party = {
  bank: Bank,
  account: Schema.Struct({
    name: Schema.Struct({ th: Schema.String, en: Schema.optionalKey(Schema.String) }),
    bank: Number,
    proxy: Schema.optionalKey(Number).pipe(
      Schema.annotateKey({ description: "A PromptPay or biller number, where the bank gives one." })
    )
  })
}

const Sender = Schema.Struct(party).annotate({ identifier: "Sender" })
const Receiver = Schema.Struct({
  ...party,
  merchantId: Schema.NullOr(Schema.String).annotate({ description: "Number of a biller; null when there is none." })
}).annotate({ identifier: "Receiver" })

/** The transfer of a slip, as the bank describes it (docs/spec/http.md, "rawSlip"). */
export const RawSlip = Schema.Struct({
  payload: Schema.String.annotate({ description: "The text of the QR code." }),
  transRef: Schema.String.annotate({
    description: "Reference of the transfer; with the sending bank it says which slip it is."
  }),
  date: SlipTime.annotate({ description: "When the money was sent." }),
  countryCode: Schema.String,
  amount: Schema.Struct({
    amount: Baht.annotate({ description: "Baht." }),
    local: Schema.Struct({
      amount: Schema.Finite,
      currency: Schema.String.annotate({ description: "Number of ISO 4217; 764 is baht." })
    })
  }),
  fee: Baht,
  ref1: Schema.String,
  ref2: Schema.String,
  ref3: Schema.String,
  sender: Sender,
  receiver: Receiver
}).annotate({ identifier: "RawSlip", description: "What the bank says of the transfer." })
export type RawSlip = typeof RawSlip.Type

/** The transfer of a TrueMoney slip (docs/spec/http.md, "VerifyWalletData"). */
export const RawWalletSlip = Schema.Struct({
  transactionId: Schema.String.annotate({ description: "TrueMoney's id of the transfer, as in the QR code." }),
  date: SlipTime.annotate({ description: "When the money was sent." }),
  amount: Baht.annotate({ description: "Baht." }),
  sender: Schema.Struct({ name: Schema.String }),
  receiver: Schema.Struct({
    name: Schema.String,
    phone: Schema.String.annotate({ description: "The phone number of the wallet, partly masked." })
  })
}).annotate({ identifier: "RawWalletSlip", description: "What the gateway says of the transfer." })
export type RawWalletSlip = typeof RawWalletSlip.Type

const MatchedAccount = Schema.Struct({
  id: Id,
  bank: Schema.Struct({
    code: Schema.String,
    nameTh: Schema.String,
    nameEn: Schema.String,
    shortCode: Schema.String
  }),
  nameTh: Schema.String,
  nameEn: Schema.NullOr(Schema.String),
  type: Schema.NullOr(AccountType),
  bankNumber: Schema.String
}).annotate({ identifier: "MatchedAccount", description: "The registered account that the money went to." })

const { verdict: Verdict } = Matching.fields

const message = Schema.String.annotate({ description: "What it means, and what to do." })

export const Reason = Schema.Union([
  Schema.Struct({
    code: Schema.Literals(["amount_differs", "amount_too_low", "amount_too_high"]),
    message,
    expected: Baht,
    actual: Baht
  }).annotate({ identifier: "AmountReason" }),
  Schema.Struct({
    code: Schema.Literals(["transferred_too_early", "transferred_too_late"]),
    message,
    expected: SlipTime.annotate({ description: "The earliest or the latest second that is accepted." }),
    actual: SlipTime
  }).annotate({ identifier: "TimeReason" }),
  Schema.Struct({
    code: Schema.Literal("sending_bank_not_allowed"),
    message,
    expected: Schema.Array(Schema.String),
    actual: Schema.String
  }).annotate({ identifier: "BankReason" }),
  Schema.Struct({
    code: Schema.Literals(["receiver_differs", "receiver_indeterminate", "duplicate"]),
    message
  }).annotate({ identifier: "PlainReason" })
]).annotate({ identifier: "Reason", description: "A condition that is not met. Use the code, not the message." })

const verdictFields = {
  remark: Schema.optionalKey(Schema.String.annotate({ description: "As it was sent along." })),
  isDuplicate: Schema.Boolean.annotate({
    description: "Whether any branch of the service has verified this slip before. Of any number of requests at the "
      + "same time exactly one is told false."
  }),
  amountInSlip: Baht.annotate({ description: "Baht." }),
  amountInOrder: Schema.optionalKey(Baht.annotate({ description: "`matchAmount`, where it was given." })),
  isAmountMatched: Schema.optionalKey(Schema.Boolean.annotate({ description: "Only with `matchAmount`." })),
  matchedAccount: Schema.NullOr(MatchedAccount),
  verificationId: Id.annotate({ description: "Name of this verification, for questions about it later." }),
  duplicate: Schema.optionalKey(
    Schema.Struct({
      firstVerifiedAt: Time,
      sameBranch: Schema.Boolean.annotate({ description: "Whether it was this branch that verified it first." }),
      count: Count.annotate({ description: "How often the slip was verified, this time included." })
    }).annotate({ description: "Of the verifications before this one; only when `isDuplicate`." })
  ),
  match: Schema.optionalKey(
    Schema.Struct({
      account: Verdict.annotate({
        description: "`indeterminate`: what the slip shows neither proves nor rules out an account."
      }),
      isAmbiguous: Schema.Boolean.annotate({
        description: "Several accounts matched equally well; the one that was linked first was taken."
      }),
      reasons: Schema.Array(Schema.String).annotate({
        description: "What was compared and what came of it, in words to act on."
      })
    }).annotate({ description: "What came of comparing the receiver; only with `matchAccount` or `bankCode`." })
  ),
  accepted: Schema.optionalKey(Schema.Boolean.annotate({
    description: "Whether the slip meets all conditions; only when the request or the branch's policy has some."
  })),
  reasons: Schema.optionalKey(
    Schema.Array(Reason).annotate({ description: "Each condition that is not met; only with `accepted`." })
  ),
  policyVersion: Schema.optionalKey(
    Count.annotate({ description: "The version of the branch's policy that took part; only when there was one." })
  ),
  isForgotten: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description: "Only there when the slip's personal data was deleted on request: of `rawSlip` its amount and time "
        + "are left, and what the caller sent himself."
    })
  )
}

/** The result of a verification (docs/spec/http.md, "VerifyBankData"). */
export const VerifyBankData = Schema.Struct({ ...verdictFields, rawSlip: RawSlip }).annotate({
  identifier: "VerifyBankData",
  description: "What was found out about a slip."
})
export type VerifyBankData = typeof VerifyBankData.Type

/** The result of the verification of a TrueMoney slip (docs/spec/http.md, "VerifyWalletData"). */
export const VerifyWalletData = Schema.Struct({ ...verdictFields, rawSlip: RawWalletSlip }).annotate({
  identifier: "VerifyWalletData",
  description: "What was found out about a TrueMoney slip."
})
export type VerifyWalletData = typeof VerifyWalletData.Type

/** The slip of a job or of a verification is a bank's, or of TrueMoney. */
export const VerifiedData = Schema.Union([VerifyBankData, VerifyWalletData])
export type VerifiedData = typeof VerifiedData.Type
