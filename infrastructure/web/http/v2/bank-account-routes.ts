import { Effect, Layer } from "effect"
import { BankAccounts } from "../../../../application/bank-accounts/list-bank-accounts.ts"
import { bankAccount } from "../../../../application/bank-accounts/locate-account.ts"
import { changeBankAccount, deactivateBankAccount } from "../../../../application/bank-accounts/change-bank-account.ts"
import { recallRegistration, registerBankAccount } from "../../../../application/bank-accounts/register-bank-account.ts"
import { fieldsOf } from "../../../../domain/bank-account/fields.ts"
import { bankAccounts } from "../../api/operations/bank-accounts.ts"
import { idempotently } from "../operations/idempotency.ts"
import { branchOperation, v2Endpoint } from "../operations/operation-endpoint.ts"

const register = v2Endpoint(
  bankAccounts.createBankAccount,
  Effect.fnUntraced(function* (request) {
    const { body, caller: { branchId, serviceId } } = request
    const fields = fieldsOf(body)
    const account = (accountId: string) => ({ accountId, serviceId, branchId, fields })
    return yield* idempotently(request, {
      run: (accountId) => registerBankAccount(account(accountId), branchOperation(request)),
      recall: (accountId) => recallRegistration(account(accountId))
    })
  })
)

/** The accounts that a branch receives money on (docs/spec/http.md, "Bank accounts"). */
export const layerBankAccounts = Layer.mergeAll(
  v2Endpoint(
    bankAccounts.listBankAccounts,
    Effect.fnUntraced(function* ({ caller: { branchId }, page, query: { isActive } }) {
      return yield* (yield* BankAccounts).ofBranch({ branchId, isActive, ...page })
    })
  ),
  register,
  v2Endpoint(
    bankAccounts.getBankAccount,
    ({ caller: { branchId }, params: { id } }) => bankAccount(id, branchId)
  ),
  v2Endpoint(
    bankAccounts.changeBankAccount,
    (request) => changeBankAccount(request.params.id, request.body, branchOperation(request))
  ),
  v2Endpoint(
    bankAccounts.deactivateBankAccount,
    (request) => deactivateBankAccount(request.params.id, branchOperation(request))
  )
)
