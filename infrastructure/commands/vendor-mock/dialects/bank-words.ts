import { toBaht } from "../../../../domain/money.ts"
import type { MaskedNumber, Receiver, Sender, Transfer } from "../../../../domain/slip/transfer.ts"

type Masked = typeof MaskedNumber.Type

const numberOf = (number: Masked | undefined, absent: string | null) =>
  number === undefined ? { type: absent, value: absent } : { type: number.type, value: number.account }

const partyOf = ({ account: { bank, name, proxy } }: Sender | Receiver) => ({
  displayName: name.th ?? name.en ?? "",
  name: name.en ?? name.th ?? "",
  proxy: numberOf(proxy, null),
  account: numberOf(bank, "")
})

/** A transfer in the words of KBank, which SlipOK and RDCW pass on. */
export const inBankWords = (transfer: Transfer) => ({
  language: "TH",
  transRef: transfer.transRef,
  sendingBank: transfer.sendingBank,
  receivingBank: transfer.receiver.bank.id,
  transDate: transfer.transferredAt.slice(0, 10).replaceAll("-", ""),
  transTime: transfer.transferredAt.slice(11, 19),
  sender: partyOf(transfer.sender),
  receiver: partyOf(transfer.receiver),
  amount: toBaht(transfer.amount),
  paidLocalAmount: transfer.local === undefined ? 0 : transfer.local.amount / 100,
  paidLocalCurrency: transfer.local?.currency ?? "",
  countryCode: transfer.countryCode,
  transFeeAmount: toBaht(transfer.fee),
  ref1: transfer.ref1,
  ref2: transfer.ref2,
  ref3: transfer.ref3,
  toMerchantId: transfer.receiver.merchantId ?? ""
})
