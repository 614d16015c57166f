import { BankAccountChangeRequest, BankAccountQuery } from "../requests/bank-accounts.ts"
import { LinkRequest } from "../requests/provisioning.ts"
import { bankCodes, type V2Code } from "../failures.ts"
import type { Operation } from "../operation.ts"
import { ServiceBankAccount } from "../responses/admin.ts"
import * as examples from "./admin-examples.ts"
import { change, codesWithBoth, codesWithId, id, optionalBody, page, success } from "./admin-operation.ts"

const tag = "Bank accounts"
const answer = (message: string) => success(ServiceBankAccount, message, examples.bankAccount)

const link = (path: "link" | "unlink", summary: string, message: string) => ({
  method: "POST" as const,
  path: `/admin/v1/bank-accounts/:id/${path}` as const,
  tag,
  summary,
  description: "The branch must belong to the account's service.",
  params: { id },
  body: optionalBody(LinkRequest, { branchId: examples.branch.id }),
  success: answer(message),
  codes: codesWithBoth
})

/** The bank accounts of all branches (docs/spec/http.md, "Admin API"). */
export const bankAccounts = {
  listServiceBankAccounts: {
    method: "GET",
    path: "/admin/v1/services/:id/bank-accounts",
    tag,
    summary: "The bank accounts of a service",
    description: "In the order of their registration, with the branches that are linked to each.",
    params: { id },
    isPaged: true,
    success: page(ServiceBankAccount, "Bank accounts", examples.bankAccount),
    codes: codesWithBoth
  },
  listBranchBankAccounts: {
    method: "GET",
    path: "/admin/v1/branches/:id/bank-accounts",
    tag,
    summary: "The bank accounts of a branch",
    description: "In the order in which they were linked to the branch, or deactivated.",
    params: { id },
    query: BankAccountQuery,
    isPaged: true,
    success: page(ServiceBankAccount, "Bank accounts", examples.bankAccount),
    codes: codesWithBoth
  },
  getBankAccount: {
    method: "GET",
    path: "/admin/v1/bank-accounts/:id",
    tag,
    summary: "A bank account",
    description: "Also when it was deactivated.",
    params: { id },
    success: answer("Bank account"),
    codes: codesWithId
  },
  changeBankAccount: {
    method: "PATCH",
    path: "/admin/v1/bank-accounts/:id",
    tag,
    summary: "Change a bank account",
    description:
      "An absent field keeps its value, null clears. The account must be active. Its branches keep their links.",
    params: { id },
    body: optionalBody(BankAccountChangeRequest, { nameEn: "SOMCHAI SHOP CO LTD" }),
    success: answer("Bank account changed"),
    codes: [...codesWithBoth, ...bankCodes, "BANK_ACCOUNT_DUPLICATE"]
  },
  deactivateBankAccount: {
    ...change(
      tag,
      "bank-accounts/:id/deactivate",
      "Deactivate a bank account",
      success(ServiceBankAccount, "Bank account deactivated", { ...examples.bankAccount, isActive: false })
    ),
    description: "For all its branches, permanently. Its number is free, its history stays."
  },
  linkBankAccount: link("link", "Link a branch to a bank account", "Bank account linked"),
  unlinkBankAccount: link("unlink", "Unlink a branch from a bank account", "Bank account unlinked")
} as const satisfies Record<string, Operation<V2Code>>
