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
