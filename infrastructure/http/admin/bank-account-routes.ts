import { Effect, Layer } from "effect"
import {
  changeAnyBankAccount,
  deactivateAnyBankAccount,
  linkBankAccount,
  unlinkBankAccount
} from "../../../application/bank-accounts/change-bank-account.ts"
import { BankAccounts } from "../../../application/bank-accounts/list-bank-accounts.ts"
import { anyBankAccount } from "../../../application/bank-accounts/locate-account.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { BranchNotFound } from "../../../domain/branch.ts"
import { ServiceNotFound } from "../../../domain/service.ts"
import { adminOperations as operations } from "../api/operations/admin.ts"
import type { AdminRoute } from "./admin-route.ts"

/** The bank accounts of all branches, and which branches share one. */
export const bankAccountRoutes = (route: AdminRoute) =>
  Layer.mergeAll(
    route(
      operations.listServiceBankAccounts,
      Effect.fnUntraced(function* ({ id: serviceId, page }) {
        if ((yield* (yield* Directory).service(serviceId)) === undefined) return yield* new ServiceNotFound()
        return yield* (yield* BankAccounts).ofService({ serviceId, ...page })
      })
    ),
    route(
      operations.listBranchBankAccounts,
      Effect.fnUntraced(function* ({ id: branchId, page, query: { isActive } }) {
        if ((yield* (yield* Directory).branch(branchId)) === undefined) return yield* new BranchNotFound()
        return yield* (yield* BankAccounts).ofBranchWithLinks({ branchId, isActive, ...page })
      })
    ),
    route(operations.getBankAccount, ({ id }) => anyBankAccount(id)),
    route(operations.changeBankAccount, ({ body, id, operation }) => changeAnyBankAccount(id, body, operation)),
    route(operations.deactivateBankAccount, ({ id, operation }) => deactivateAnyBankAccount(id, operation)),
    route(
      operations.linkBankAccount,
      ({ body: { branchId }, id, operation }) => linkBankAccount(id, branchId, operation)
    ),
    route(
      operations.unlinkBankAccount,
      ({ body: { branchId }, id, operation }) => unlinkBankAccount(id, branchId, operation)
    )
  )
