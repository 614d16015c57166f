import { Effect } from "effect"
import type { BankAccountView } from "../../application/views/bank-account.ts"
import type { Page } from "../../projections/engine/page.ts"
import type { Answer } from "../support/client.ts"
import { RunningService } from "../support/service.ts"
import { assertFailure } from "./assert-answer.ts"

export const UNKNOWN_ID = "0f8fad5b-d9cb-4f69-a165-70867728950e"
export const shop = { bankCode: "004", bankNumber: "123-4-56789-0", nameTh: "บริษัท กาแฟดี จำกัด" }

/** Calls of the bank account API with the key of a branch. */
export const branchOf = Effect.fnUntraced(function* (key: string) {
  const { call } = yield* RunningService
  const path = (id: string) => `/v2/bank-accounts/${id}`
  return {
    key,
    post: (body: unknown) => call<BankAccountView>("POST", "/v2/bank-accounts", { key, body }),
    get: (id: string) => call<BankAccountView>("GET", path(id), { key }),
    patch: (id: string, body: unknown) => call<BankAccountView>("PATCH", path(id), { key, body }),
    delete: (id: string) => call<BankAccountView>("DELETE", path(id), { key }),
    list: (query = "") => call<Page<BankAccountView>>("GET", `/v2/bank-accounts${query}`, { key }),
    ids: (query = "") =>
      Effect.map(
        call<Page<BankAccountView>>("GET", `/v2/bank-accounts${query}`, { key }),
        ({ data }) => data.items.map(({ id }) => id)
      )
  }
})

/** A service with two branches. */
export const given = Effect.gen(function* () {
  const service = yield* RunningService
  const { id: serviceId, mainBranch } = yield* service.createService()
  const sub = yield* service.createBranch(serviceId)
  return {
    ...service,
    serviceId,
    mainId: mainBranch.id,
    subId: sub.id,
    main: yield* branchOf(mainBranch.apiKey),
    sub: yield* branchOf(sub.apiKey)
  }
})

export const notFound = (answer: Answer) =>
  assertFailure(answer, 404, "BANK_ACCOUNT_NOT_FOUND", "Bank account not found")
export const duplicate = (answer: Answer) =>
  assertFailure(
    answer,
    409,
    "BANK_ACCOUNT_DUPLICATE",
    "An active account with the same bank code and number already exists"
  )
export const badBank = (answer: Answer) =>
  assertFailure(answer, 400, "INVALID_BANK_CODE", "The provided bankCode is not supported")
export const needsExtra = (answer: Answer) =>
  assertFailure(answer, 400, "INVALID_EXTRA_VERIFY", "extraVerify is required for this bank")
export const badExtra = (answer: Answer) =>
  assertFailure(answer, 400, "INVALID_EXTRA_VERIFY", "extraVerify is not valid for this bank")
