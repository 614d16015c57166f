import { Schema } from "effect"
import { BankAccountBody, BankAccountChangeBody } from "../branch-fields.ts"
import { asked, bankAccount, ids } from "../examples.ts"
import type { Operation, Parameter } from "../operation.ts"
import { pageParameters } from "../page-parameters.ts"
import { v2Paths } from "../paths.ts"
import { BankAccount, BankAccountPage } from "../shapes/account.ts"
import { bankCodes, callerCodes, keyedCodes, type V2Code } from "../failures.ts"

const id: Parameter = {
  name: "id",
  in: "path",
  description: "Of an account that is linked to this branch. Case does not matter.",
  schema: Schema.String,
  isRequired: true,
  example: ids.account
}

const one = { status: 200, data: BankAccount } as const
const examples = { account: { summary: "An account at a bank", value: bankAccount } }

/** Accounts that a branch receives money on (docs/spec/http.md, "Bank accounts"). */
export const bankAccounts = {
  listBankAccounts: {
    ...v2Paths.listBankAccounts,
    tag: "Bank accounts",
    summary: "The branch's accounts",
    description: "In the order in which they were linked to the branch, or went out of use.",
    parameters: [
      {
        name: "isActive",
        in: "query",
        description: "Those alone that are in use, or those that no longer are; without it all of them.",
        schema: Schema.Literals(["true", "false"]),
        isRequired: false
      },
      ...pageParameters
    ],
    success: {
      status: 200,
      data: BankAccountPage,
      message: "Bank accounts",
      examples: { one: { summary: "One account", value: { items: [bankAccount], nextCursor: null } } }
    },
    codes: [...callerCodes, "VALIDATION_ERROR"],
    fault: { path: "limit", message: "Expected a whole number from 1 to 500" }
  },
  createBankAccount: {
    ...v2Paths.createBankAccount,
    tag: "Bank accounts",
    summary: "Register an account",
    description: "It is linked to the calling branch at once. Of one bank and number a service has one active account.",
    body: {
      json: BankAccountBody,
      examples: {
        account: { summary: "An account at a bank", value: asked.bankAccount },
        promptPay: { summary: "PromptPay by phone number", value: asked.promptPay }
      }
    },
    success: { ...one, status: 201, message: "Bank account registered", examples },
    codes: [...callerCodes, "VALIDATION_ERROR", ...bankCodes, "BANK_ACCOUNT_DUPLICATE", ...keyedCodes],
    fault: { path: "nameTh", message: "Missing key" }
  },
  getBankAccount: {
    ...v2Paths.getBankAccount,
    tag: "Bank accounts",
    summary: "One account",
    description: "Also when it is no longer active.",
    parameters: [id],
    success: { ...one, message: "Bank account", examples },
    codes: [...callerCodes, "BANK_ACCOUNT_NOT_FOUND"]
  },
  changeBankAccount: {
    ...v2Paths.changeBankAccount,
    tag: "Bank accounts",
    summary: "Change an account",
    description: "What is absent stays as it is, null clears. Another `bankCode` has `extraVerify` checked again.",
    parameters: [id],
    body: {
      json: BankAccountChangeBody,
      examples: { name: { summary: "Another English name", value: { nameEn: "SOMCHAI SHOP CO LTD" } } }
    },
    success: { ...one, message: "Bank account changed", examples },
    codes: [...callerCodes, "VALIDATION_ERROR", ...bankCodes, "BANK_ACCOUNT_NOT_FOUND", "BANK_ACCOUNT_DUPLICATE"],
    fault: { path: "nameTh", message: "Expected string" }
  },
  deactivateBankAccount: {
    ...v2Paths.deactivateBankAccount,
    tag: "Bank accounts",
    summary: "Deactivate an account",
    description: "It is compared with no slip any more, and its number is free. Its history stays.",
    parameters: [id],
    success: {
      ...one,
      message: "Bank account deactivated",
      examples: { account: { summary: "No longer active", value: { ...bankAccount, isActive: false } } }
    },
    codes: [...callerCodes, "BANK_ACCOUNT_NOT_FOUND"]
  }
} as const satisfies Record<string, Operation<V2Code>>
