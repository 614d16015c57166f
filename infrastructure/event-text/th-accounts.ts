import type { enAccounts } from "./en-accounts.ts"
import { say, type Sentence } from "./messages.ts"

/** One sentence an event type of receiving accounts, from its data, in Thai. */
export const thAccounts: Readonly<Record<keyof typeof enAccounts, Sentence>> = {
  BankAccountRegistered: ({ bankCode, branchId, movedFrom }) =>
    movedFrom === null
      ? `ลงทะเบียนบัญชีรับเงินธนาคาร ${say(bankCode)} และผูกกับสาขา ${say(branchId)}`
      : `บัญชีรับเงินเริ่มย้ายไปเลขใหม่ของธนาคาร ${say(bankCode)}`,
  BankAccountChanged: () => "แก้ไขบัญชีรับเงิน",
  BankAccountLinked: ({ branchId }) => `ผูกบัญชีรับเงินกับสาขา ${say(branchId)}`,
  BankAccountUnlinked: ({ branchId }) => `เลิกผูกบัญชีรับเงินกับสาขา ${say(branchId)}`,
  BankAccountDeactivated: ({ reason }) =>
    reason === "move-abandoned" ? "บัญชีรับเงินใช้เลขเดิมต่อไป: การย้ายไม่สำเร็จ เลขใหม่ว่างอีกครั้ง" : "เลิกใช้บัญชีรับเงิน เลขบัญชีว่างอีกครั้ง",
  BankAccountMoved: ({ bankCode }) => `บัญชีรับเงินย้ายไปเลขใหม่ของธนาคาร ${say(bankCode)} แล้ว`,
  BankAccountMoveRefused: () => "บัญชีรับเงินใช้เลขเดิมต่อไป: การย้ายไม่สำเร็จ"
}
