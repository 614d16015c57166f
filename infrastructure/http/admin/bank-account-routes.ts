import { Effect, Layer } from "effect"
import { linkBankAccount, unlinkBankAccount } from "../../../application/bank-accounts/change-bank-account.ts"
import { BankAccounts } from "../../../application/bank-accounts/list-bank-accounts.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { ServiceNotFound } from "../../../domain/service.ts"
import { fieldsOf } from "../body.ts"
import { pageOf } from "../page.ts"
import { type AdminRoute, idOf, operationOf } from "./admin-route.ts"
import { decodeLink } from "../../input/operator-requests.ts"

/** The accounts that a service receives money on, and which of its branches share them. */
export const bankAccountRoutes = (route: AdminRoute) =>
  Layer.mergeAll(
    route(
      "GET",
      "/services/:id/bank-accounts",
      Effect.fnUntraced(function* (exchange) {
        const serviceId = idOf(exchange)
        const page = yield* pageOf(exchange)
        if ((yield* (yield* Directory).service(serviceId)) === undefined) return yield* new ServiceNotFound()
        return { message: "Bank accounts", data: yield* (yield* BankAccounts).ofService({ serviceId, ...page }) }
      })
    ),
    route(
      "POST",
      "/bank-accounts/:id/link",
      Effect.fnUntraced(function* (exchange) {
        const { branchId } = yield* decodeLink(yield* fieldsOf(exchange))
        const data = yield* linkBankAccount(idOf(exchange), branchId, operationOf(exchange))
        return { message: "Bank account linked", data }
      })
    ),
    route(
      "POST",
      "/bank-accounts/:id/unlink",
      Effect.fnUntraced(function* (exchange) {
        const { branchId } = yield* decodeLink(yield* fieldsOf(exchange))
        const data = yield* unlinkBankAccount(idOf(exchange), branchId, operationOf(exchange))
        return { message: "Bank account unlinked", data }
      })
    )
  )
