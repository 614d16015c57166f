import { BankAccountChangeRequest, BankAccountQuery } from "../requests/bank-accounts.ts"
import { LinkRequest } from "../requests/provisioning.ts"
import { bankCodes, type V2Code } from "../failures.ts"
import type { Operation } from "../operation.ts"
import { ServiceBankAccount } from "../responses/admin.ts"
import * as examples from "./admin-examples.ts"
import { codesWithBoth, codesWithId, optionalBody, page, success } from "./admin-operation.ts"
import { operationsOf } from "./declare.ts"

const { get, patch, post } = operationsOf("Bank accounts")
const answer = (message: string) => success(ServiceBankAccount, message, examples.bankAccount)

const link = <const Path extends "link" | "unlink">(path: Path, summary: string, message: string) =>
  post(`/admin/v1/bank-accounts/:id/${path}`, {
    summary,
    description: "The branch must belong to the account's service.",
    body: optionalBody(LinkRequest, { branchId: examples.branch.id }),
    success: answer(message),
    codes: codesWithBoth
  })

/** The bank accounts of all branches (docs/spec/http.md, "Admin API"). */
export const bankAccounts = {
  listServiceBankAccounts: get("/admin/v1/services/:id/bank-accounts", {
    summary: "The bank accounts of a service",
    description: "In the order of their registration, with the branches that are linked to each.",
    isPaged: true,
    success: page(ServiceBankAccount, "Bank accounts", examples.bankAccount),
    codes: codesWithBoth
  }),
  listBranchBankAccounts: get("/admin/v1/branches/:id/bank-accounts", {
    summary: "The bank accounts of a branch",
    description: "In the order in which they were linked to the branch, or deactivated.",
    query: BankAccountQuery,
    isPaged: true,
    success: page(ServiceBankAccount, "Bank accounts", examples.bankAccount),
    codes: codesWithBoth
  }),
  getBankAccount: get("/admin/v1/bank-accounts/:id", {
    summary: "A bank account",
    description: "Also when it was deactivated.",
    success: answer("Bank account"),
    codes: codesWithId
  }),
  changeBankAccount: patch("/admin/v1/bank-accounts/:id", {
    summary: "Change a bank account",
    description:
      "An absent field keeps its value, null clears. The account must be active. Its branches keep their links.",
    body: optionalBody(BankAccountChangeRequest, { nameEn: "SOMCHAI SHOP CO LTD" }),
    success: answer("Bank account changed"),
    codes: [...codesWithBoth, ...bankCodes, "BANK_ACCOUNT_DUPLICATE"]
  }),
  deactivateBankAccount: post("/admin/v1/bank-accounts/:id/deactivate", {
    summary: "Deactivate a bank account",
    description: "For all its branches, permanently. Its number is free, its history stays.",
    success: success(ServiceBankAccount, "Bank account deactivated", { ...examples.bankAccount, isActive: false }),
    codes: codesWithId
  }),
  linkBankAccount: link("link", "Link a branch to a bank account", "Bank account linked"),
  unlinkBankAccount: link("unlink", "Unlink a branch from a bank account", "Bank account unlinked")
} as const satisfies Record<string, Operation<V2Code>>
