import { maskName, maskNumber, maskReference } from "../../domain/slip/masks.ts"
import type { BankAccountOfService } from "./list-bank-accounts.ts"

/**
 * An account without personal data, as operators see it. Full numbers and names are a disclosure, which the trail with
 * `reveal=true` records. Masking a masked account changes nothing.
 */
export const maskAccount = (account: BankAccountOfService): BankAccountOfService => ({
  ...account,
  bankNumber: maskNumber(account.bankNumber),
  nameTh: maskName(account.nameTh),
  nameEn: account.nameEn === null ? null : maskName(account.nameEn),
  ...(account.ref1 === undefined ? {} : { ref1: maskReference(account.ref1) }),
  ...(account.merchantId === undefined ? {} : { merchantId: maskReference(account.merchantId) })
})
