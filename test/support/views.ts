import type { BranchView } from "../../application/views/provisioning.ts"
import type { BankAccountFields } from "../../domain/bank-account/fields.ts"
import type { WalletQuestion } from "../../ports/bank-gateway.ts"

/** A branch as operators see it: open to every address, without limits and settings. */
export const branchView = (fields: Partial<BranchView> & Pick<BranchView, "id">): BranchView => ({
  serviceId: "s-1",
  name: fields.id,
  isMain: false,
  isActive: true,
  quota: null,
  ipWhitelist: ["*"],
  webhookUrl: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  ...fields
})

/** The fields of a bank account that a branch registers. */
export const accountFields: BankAccountFields = {
  bankCode: "004",
  bankNumber: "1234567890",
  nameTh: "ร้านกาแฟดี",
  nameEn: null,
  type: null,
  extraVerify: null,
  ref1: null,
  merchantId: null
}

/** A question about a TrueMoney slip, whose picture has one byte. */
export const walletQuestion = (transactionId: string, fields: Partial<WalletQuestion> = {}): WalletQuestion => ({
  branchId: "branch-1",
  sendingBank: "TRUEMONEY",
  transRef: `TW${transactionId}`,
  transactionId,
  picture: { bytes: new Uint8Array(1), format: "png" },
  ...fields
})
