import type { SlipQuestion } from "../../../ports/bank-gateway.ts"

type Question = Pick<SlipQuestion, "sendingBank" | "transRef">

/** KBank's answer for a slip, with invented names. */
export const kbankSlipData = ({ sendingBank, transRef }: Question, changes: object = {}) => ({
  language: "TH",
  transRef,
  sendingBank,
  receivingBank: "004",
  transDate: "20261121",
  transTime: "15:45:00",
  sender: {
    displayName: "นาย สมชาย ท",
    name: "MR. SOMCHAI T",
    proxy: { type: null, value: null },
    account: { type: "BANKAC", value: "xxx-x-x0209-x" }
  },
  receiver: {
    displayName: "นาย สมหมาย ท",
    name: "MR. SOMMAI T",
    proxy: { type: "", value: "" },
    account: { type: "BANKAC", value: "xxx-x-x1234-x" }
  },
  amount: 1500.5,
  paidLocalAmount: 1500.5,
  paidLocalCurrency: "764",
  countryCode: "TH",
  transFeeAmount: 0,
  ref1: "",
  ref2: "",
  ref3: "",
  toMerchantId: "",
  ...changes
})

/** SCB's answer for the same slip: amounts are text, and a few fields are absent. */
export const scbSlipData = (question: Question, changes: object = {}) => {
  const { language: _, toMerchantId: __, transFeeAmount: ___, ...shared } = kbankSlipData(question)
  return { ...shared, receivingBank: "014", amount: "1500.50", paidLocalAmount: "1500.50", ...changes }
}

/** Slip2Go's answer for the same slip: times in UTC, one name for each party, no fee and no local amount. */
export const slip2goSlipData = ({ sendingBank, transRef }: Question, changes: object = {}) => ({
  referenceId: "00000000-0000-4000-8000-000000000001",
  transRef,
  dateTime: "2026-11-21T08:45:00.000Z",
  amount: 1500.5,
  ref1: null,
  ref2: null,
  ref3: null,
  sender: {
    account: { name: "นาย สมชาย ท", bank: { account: "xxx-x-x0209-x" } },
    bank: { id: sendingBank, name: "ธนาคาร" }
  },
  receiver: {
    account: { name: "นาย สมหมาย ท", bank: { account: "xxx-x-x1234-x" }, proxy: null },
    bank: { id: "004", name: "ธนาคารกสิกรไทย" }
  },
  ...changes
})

/** EasySlip's answer for the same slip. */
export const easySlipData = ({ sendingBank, transRef }: Question, changes: object = {}) => ({
  transRef,
  date: "2026-11-21T15:45:00+07:00",
  countryCode: "TH",
  amount: { amount: 1500.5, local: { amount: 1500.5, currency: "764" } },
  fee: 0,
  ref1: "",
  ref2: "",
  ref3: "",
  sender: {
    bank: { id: sendingBank, name: "ธนาคาร", short: "BANK" },
    account: {
      name: { th: "นาย สมชาย ท", en: "MR. SOMCHAI T" },
      bank: { type: "BANKAC", account: "xxx-x-x0209-x" }
    }
  },
  receiver: {
    bank: {},
    account: {
      name: { th: "นาย สมหมาย ท", en: "MR. SOMMAI T" },
      proxy: { type: "MSISDN", account: "xxx-xxx-1234" }
    },
    merchantId: null
  },
  ...changes
})
