import { MAX_ACTIVE_ACCOUNTS } from "../../../../domain/bank-account/fields.ts"
import { BankAccountChangeRequest, BankAccountQuery, BankAccountRequest } from "../requests/bank-accounts.ts"
import { bankAccount, ids, requests } from "../examples.ts"
import type { BranchOperation } from "../operation.ts"
import { BankAccount, BankAccountPage } from "../responses/account.ts"
import { bankCodes, keyedCodes, scopedCodes, type V2Code } from "../failures.ts"

const params = {
  id: { description: "Of an account that is linked to this branch. Case does not matter.", example: ids.account }
}

const oneAccount = { status: 200, data: BankAccount } as const
const examples = { account: { summary: "An account at a bank", value: bankAccount } }

/** Accounts that a branch receives money on (docs/spec/http.md, "Bank accounts"). */
export const bankAccounts = {
  listBankAccounts: {
    method: "GET",
    path: "/v2/bank-accounts",
    scopes: ["read", "configure"],
    tag: "Bank accounts",
    summary: "The branch's accounts",
    description: "In the order in which they were linked to the branch, or went out of use.",
    query: BankAccountQuery,
    isPaged: true,
    success: {
      status: 200,
      data: BankAccountPage,
      message: "Bank accounts",
      examples: { one: { summary: "One account", value: { items: [bankAccount], nextCursor: null } } }
    },
    codes: [...scopedCodes, "VALIDATION_ERROR"],
    fault: { path: "limit", message: "Expected a whole number from 1 to 500" }
  },
  createBankAccount: {
    method: "POST",
    path: "/v2/bank-accounts",
    isKeyed: true,
    scopes: ["configure"],
    tag: "Bank accounts",
    summary: "Register an account",
    description: "It is linked to the calling branch at once. Of one bank and number a service has one active account. "
      + `A branch has at most ${MAX_ACTIVE_ACCOUNTS} active ones.`,
    body: {
      json: BankAccountRequest,
      urlencoded: BankAccountRequest,
      examples: {
        account: { summary: "An account at a bank", value: requests.bankAccount },
        promptPay: { summary: "PromptPay by phone number", value: requests.promptPay }
      }
    },
    success: { ...oneAccount, status: 201, message: "Bank account registered", examples },
    codes: [...scopedCodes, "VALIDATION_ERROR", ...bankCodes, "BANK_ACCOUNT_DUPLICATE", ...keyedCodes],
    fault: { path: "nameTh", message: "This field is required" }
  },
  getBankAccount: {
    method: "GET",
    path: "/v2/bank-accounts/:id",
    scopes: ["read", "configure"],
    tag: "Bank accounts",
    summary: "One account",
    description: "Also when it is no longer active.",
    params,
    success: { ...oneAccount, message: "Bank account", examples },
    codes: [...scopedCodes, "BANK_ACCOUNT_NOT_FOUND"]
  },
  changeBankAccount: {
    method: "PATCH",
    path: "/v2/bank-accounts/:id",
    scopes: ["configure"],
    tag: "Bank accounts",
    summary: "Change an account",
    description: "What is absent stays as it is, null clears. Another `bankCode` has `extraVerify` checked again.",
    params,
    body: {
      json: BankAccountChangeRequest,
      urlencoded: BankAccountChangeRequest,
      examples: { name: { summary: "Another English name", value: { nameEn: "SOMCHAI SHOP CO LTD" } } }
    },
    success: { ...oneAccount, message: "Bank account changed", examples },
    codes: [...scopedCodes, "VALIDATION_ERROR", ...bankCodes, "BANK_ACCOUNT_NOT_FOUND", "BANK_ACCOUNT_DUPLICATE"],
    fault: { path: "nameTh", message: "Expected text" }
  },
  deactivateBankAccount: {
    method: "DELETE",
    path: "/v2/bank-accounts/:id",
    scopes: ["configure"],
    tag: "Bank accounts",
    summary: "Deactivate an account",
    description: "It is compared with no slip any more, and its number is free. Its history stays.",
    params,
    success: {
      ...oneAccount,
      message: "Bank account deactivated",
      examples: { account: { summary: "No longer active", value: { ...bankAccount, isActive: false } } }
    },
    codes: [...scopedCodes, "BANK_ACCOUNT_NOT_FOUND"]
  }
} as const satisfies Record<string, BranchOperation<V2Code>>
