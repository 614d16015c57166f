import { MAX_ACTIVE_ACCOUNTS } from "../../../../domain/bank-account/fields.ts"
import { BankAccountChangeRequest, BankAccountQuery, BankAccountRequest } from "../requests/bank-accounts.ts"
import { bankAccount, ids, requests } from "../examples.ts"
import type { BranchOperation } from "../operation.ts"
import { BankAccount, BankAccountPage } from "../responses/account.ts"
import { bankCodes, keyedCodes, scopedCodes, type V2Code } from "../failures.ts"
import { fields, ok, operationsOf } from "./declare.ts"

const { get, patch, post, remove } = operationsOf("Bank accounts")

const params = {
  id: { description: "Of an account that is linked to this branch. Case does not matter.", example: ids.account }
}

const oneAccount = { status: 200, data: BankAccount } as const
const examples = { account: { summary: "An account at a bank", value: bankAccount } }

/** Accounts that a branch receives money on (docs/spec/http.md, "Bank accounts"). */
export const bankAccounts = {
  listBankAccounts: get("/v2/bank-accounts", {
    scopes: ["read", "configure"],
    summary: "The branch's accounts",
    description: "In the order in which they were linked to the branch, or went out of use.",
    query: BankAccountQuery,
    isPaged: true,
    success: ok(BankAccountPage, "Bank accounts", {
      one: { summary: "One account", value: { items: [bankAccount], nextCursor: null } }
    }),
    codes: [...scopedCodes, "VALIDATION_ERROR"],
    fault: { path: "limit", message: "Expected a whole number from 1 to 500" }
  }),
  createBankAccount: post("/v2/bank-accounts", {
    isKeyed: true,
    scopes: ["configure"],
    summary: "Register an account",
    description: "It is linked to the calling branch at once. Of one bank and number a service has one active account. "
      + `A branch has at most ${MAX_ACTIVE_ACCOUNTS} active ones.`,
    body: fields(BankAccountRequest, {
      account: { summary: "An account at a bank", value: requests.bankAccount },
      promptPay: { summary: "PromptPay by phone number", value: requests.promptPay }
    }),
    success: { ...oneAccount, status: 201, message: "Bank account registered", examples },
    codes: [...scopedCodes, "VALIDATION_ERROR", ...bankCodes, "BANK_ACCOUNT_DUPLICATE", ...keyedCodes],
    fault: { path: "nameTh", message: "This field is required" }
  }),
  getBankAccount: get("/v2/bank-accounts/:id", {
    scopes: ["read", "configure"],
    summary: "One account",
    description: "Also when it is no longer active.",
    params,
    success: { ...oneAccount, message: "Bank account", examples },
    codes: [...scopedCodes, "BANK_ACCOUNT_NOT_FOUND"]
  }),
  changeBankAccount: patch("/v2/bank-accounts/:id", {
    scopes: ["configure"],
    summary: "Change an account",
    description: "What is absent stays as it is, null clears. Another `bankCode` has `extraVerify` checked again.",
    params,
    body: fields(BankAccountChangeRequest, {
      name: { summary: "Another English name", value: { nameEn: "SOMCHAI SHOP CO LTD" } }
    }),
    success: { ...oneAccount, message: "Bank account changed", examples },
    codes: [...scopedCodes, "VALIDATION_ERROR", ...bankCodes, "BANK_ACCOUNT_NOT_FOUND", "BANK_ACCOUNT_DUPLICATE"],
    fault: { path: "nameTh", message: "Expected text" }
  }),
  deactivateBankAccount: remove("/v2/bank-accounts/:id", {
    scopes: ["configure"],
    summary: "Deactivate an account",
    description: "It is compared with no slip any more, and its number is free. Its history stays.",
    params,
    success: {
      ...oneAccount,
      message: "Bank account deactivated",
      examples: { account: { summary: "No longer active", value: { ...bankAccount, isActive: false } } }
    },
    codes: [...scopedCodes, "BANK_ACCOUNT_NOT_FOUND"]
  })
} as const satisfies Record<string, BranchOperation<V2Code>>
