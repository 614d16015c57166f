import { Effect, Layer } from "effect"
import { changeBankAccount, deactivateBankAccount } from "../../../application/bank-accounts/change-bank-account.ts"
import { recallRegistration, registerBankAccount } from "../../../application/bank-accounts/register-bank-account.ts"
import { bankAccount } from "../../../application/bank-accounts/locate-account.ts"
import { BankAccounts, type BankAccountView } from "../../../application/bank-accounts/list-bank-accounts.ts"
import type { Caller } from "../../../application/provisioning/callers.ts"
import { authenticate } from "../authenticate.ts"
import { readBody } from "../body.ts"
import type { Exchange } from "../endpoint.ts"
import { idempotently } from "../idempotency.ts"
import { pageOf } from "../page.ts"
import type { Reply } from "../reply.ts"
import { parseChange, parseIsActive, parseRegistration } from "./bank-account-request.ts"
import { endpoint, operationOf } from "./branch-operation.ts"
import { toApiError } from "../application-failures.ts"

const ownOf = ({ branchId }: Caller, { params }: Exchange) => ({ branchId, id: params["id"] ?? "" })

const list = endpoint(
  "GET",
  "/v2/bank-accounts",
  Effect.fnUntraced(function* (exchange) {
    const { branchId } = yield* authenticate(exchange)
    const asked = { branchId, isActive: yield* parseIsActive(exchange), ...(yield* pageOf(exchange)) }
    const accounts = yield* BankAccounts
    return { message: "Bank accounts", data: yield* Effect.mapError(accounts.ofBranch(asked), toApiError) }
  })
)

const registered = (data: BankAccountView): Reply => ({ status: 201, message: "Bank account registered", data })

const register = endpoint(
  "POST",
  "/v2/bank-accounts",
  Effect.fnUntraced(function* (exchange) {
    const caller = yield* authenticate(exchange)
    const { branchId, serviceId } = caller
    const body = yield* readBody(exchange)
    const fields = yield* parseRegistration(body)
    const account = (accountId: string) => ({ accountId, serviceId, branchId, fields })
    return yield* idempotently(exchange, caller, body.fields, {
      run: (accountId) =>
        Effect.map(registerBankAccount(account(accountId), operationOf(caller, exchange)), registered),
      recall: (accountId) =>
        Effect.map(
          recallRegistration(account(accountId)),
          (known) => known === undefined ? undefined : registered(known)
        )
    })
  })
)

const show = endpoint(
  "GET",
  "/v2/bank-accounts/:id",
  Effect.fnUntraced(function* (exchange) {
    const { branchId, id } = ownOf(yield* authenticate(exchange), exchange)
    return { message: "Bank account", data: yield* Effect.mapError(bankAccount(id, branchId), toApiError) }
  })
)

const change = endpoint(
  "PATCH",
  "/v2/bank-accounts/:id",
  Effect.fnUntraced(function* (exchange) {
    const caller = yield* authenticate(exchange)
    const change = yield* parseChange(yield* readBody(exchange))
    const operation = operationOf(caller, exchange)
    const data = yield* Effect.mapError(changeBankAccount(ownOf(caller, exchange), change, operation), toApiError)
    return { message: "Bank account changed", data }
  })
)

const deactivate = endpoint(
  "DELETE",
  "/v2/bank-accounts/:id",
  Effect.fnUntraced(function* (exchange) {
    const caller = yield* authenticate(exchange)
    const operation = operationOf(caller, exchange)
    const data = yield* Effect.mapError(deactivateBankAccount(ownOf(caller, exchange), operation), toApiError)
    return { message: "Bank account deactivated", data }
  })
)

/** The accounts that a branch receives money on (docs/spec/http.md, "Bank accounts"). */
export const layerBankAccounts = Layer.mergeAll(list, register, show, change, deactivate)
