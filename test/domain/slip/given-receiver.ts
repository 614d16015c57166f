import {
  type AccountMatch,
  type AccountQuestion,
  matchAccounts,
  type ReceivingAccount
} from "../../../domain/slip/matching.ts"
import type { Receiver } from "../../../domain/slip/transfer.ts"

/** An account of a bank without extraVerify, by default at KBANK. */
export const account = (fields: Partial<ReceivingAccount> = {}): ReceivingAccount => ({
  id: "a-1",
  bankCode: "004",
  bankNumber: "9990012345",
  nameTh: "นาย สมหมาย ทดสอบ",
  nameEn: null,
  extraVerify: null,
  ...fields
})

export interface ShownParts {
  readonly bankId?: string
  readonly number?: string
  readonly numberType?: string
  readonly proxy?: readonly [type: string, number: string]
  readonly merchantId?: string
  readonly ref1?: string
  readonly ref2?: string
  readonly th?: string
  readonly en?: string
}

/** A receiver of whom a slip shows only the given parts. */
export const receiver = (
  { bankId = "", en, merchantId, number, numberType = "BANKAC", proxy, th }: ShownParts
): Receiver => ({
  bank: { id: bankId, name: "", short: "" },
  account: {
    name: { ...(th === undefined ? {} : { th }), ...(en === undefined ? {} : { en }) },
    ...(number === undefined ? {} : { bank: { type: numberType, account: number } }),
    ...(proxy === undefined ? {} : { proxy: { type: proxy[0], account: proxy[1] } })
  },
  merchantId: merchantId ?? null
})

export const match = (
  shown: ShownParts,
  accounts: ReadonlyArray<ReceivingAccount>,
  question: Partial<AccountQuestion> = {}
): AccountMatch =>
  matchAccounts({ receiver: receiver(shown), ref1: shown.ref1 ?? "", ref2: shown.ref2 ?? "" }, accounts, {
    bankCode: undefined,
    extraVerify: undefined,
    ...question
  })
