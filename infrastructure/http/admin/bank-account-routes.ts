import { Effect, Layer } from "effect"
import {
  changeAnyBankAccount,
  deactivateAnyBankAccount,
  linkBankAccount,
  unlinkBankAccount
} from "../../../application/bank-accounts/change-bank-account.ts"
import { type BankAccountOfService, BankAccounts } from "../../../application/bank-accounts/list-bank-accounts.ts"
import { anyBankAccount } from "../../../application/bank-accounts/locate-account.ts"
import { maskAccount } from "../../../application/bank-accounts/masked-account.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { BranchNotFound } from "../../../domain/branch.ts"
import { ServiceNotFound } from "../../../domain/service.ts"
import { adminOperations as operations } from "../../api/operations/admin.ts"
import type { Page } from "../../../projections/engine/page.ts"
import type { AdminRoute } from "./admin-route.ts"

const maskPage = (page: Page<BankAccountOfService>) => ({ ...page, items: page.items.map(maskAccount) })

/** The bank accounts of all branches, masked, and which branches share one. */
export const bankAccountRoutes = (route: AdminRoute) =>
  Layer.mergeAll(
    route(
      operations.listServiceBankAccounts,
      Effect.fnUntraced(function* ({ id: serviceId, page }) {
        if ((yield* (yield* Directory).service(serviceId)) === undefined) return yield* new ServiceNotFound()
        return maskPage(yield* (yield* BankAccounts).ofService({ serviceId, ...page }))
      })
    ),
    route(
      operations.listBranchBankAccounts,
      Effect.fnUntraced(function* ({ id: branchId, page, query: { isActive } }) {
        if ((yield* (yield* Directory).branch(branchId)) === undefined) return yield* new BranchNotFound()
        return maskPage(yield* (yield* BankAccounts).ofBranchWithLinks({ branchId, isActive, ...page }))
      })
    ),
    route(operations.getBankAccount, ({ id }) => Effect.map(anyBankAccount(id), maskAccount)),
    route(operations.changeBankAccount, ({ body, id, operation }) =>
      Effect.map(changeAnyBankAccount(id, body, operation), maskAccount)),
    route(operations.deactivateBankAccount, ({ id, operation }) =>
      Effect.map(deactivateAnyBankAccount(id, operation), maskAccount)),
    route(
      operations.linkBankAccount,
      ({ body: { branchId }, id, operation }) =>
        Effect.map(linkBankAccount(id, branchId, operation), maskAccount)
    ),
    route(
      operations.unlinkBankAccount,
      ({ body: { branchId }, id, operation }) =>
        Effect.map(unlinkBankAccount(id, branchId, operation), maskAccount)
    )
  )
