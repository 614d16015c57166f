import { Effect } from "effect"
import {
  changeAnyBankAccount,
  deactivateAnyBankAccount,
  linkBankAccount,
  unlinkBankAccount
} from "../../../application/bank-accounts/change-bank-account.ts"
import { type BankAccountOfService, BankAccounts } from "../../../application/bank-accounts/list-bank-accounts.ts"
import { anyBankAccount } from "../../../application/bank-accounts/locate-account.ts"
import { maskAccount } from "../../../application/bank-accounts/masked-account.ts"
import type { Page } from "../../../projections/engine/page.ts"
import type * as declared from "../api/operations/admin-bank-accounts.ts"
import type { HandlersOf } from "./handler.ts"
import { existingBranch, existingService } from "./provisioning.ts"

const maskPage = (page: Page<BankAccountOfService>) => ({ ...page, items: page.items.map(maskAccount) })

/** The bank accounts of all branches, masked, and which branches share one. */
export const bankAccounts = {
  listServiceBankAccounts: Effect.fnUntraced(function* ({ id: serviceId, page }) {
    yield* existingService(serviceId)
    return maskPage(yield* (yield* BankAccounts).ofService({ serviceId, ...page }))
  }),
  listBranchBankAccounts: Effect.fnUntraced(function* ({ id: branchId, page, query: { isActive } }) {
    yield* existingBranch(branchId)
    return maskPage(yield* (yield* BankAccounts).ofBranchWithLinks({ branchId, isActive, ...page }))
  }),
  getBankAccount: ({ id }) => Effect.map(anyBankAccount(id), maskAccount),
  changeBankAccount: ({ body, id, ids }) => Effect.map(changeAnyBankAccount(id, body, ids), maskAccount),
  deactivateBankAccount: ({ id, ids }) => Effect.map(deactivateAnyBankAccount(id, ids), maskAccount),
  linkBankAccount: ({ body: { branchId }, id, ids }) => Effect.map(linkBankAccount(id, branchId, ids), maskAccount),
  unlinkBankAccount: ({ body: { branchId }, id, ids }) => Effect.map(unlinkBankAccount(id, branchId, ids), maskAccount)
} satisfies HandlersOf<typeof declared.bankAccounts>
