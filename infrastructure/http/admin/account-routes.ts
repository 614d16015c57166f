import { Effect, Layer } from "effect"
import { changeAccount, createAccount } from "../../../application/provisioning/accounts.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { AccountNotFound } from "../../../domain/account.ts"
import { fieldsOf } from "../body.ts"
import { type AdminRoute, idOf, operationOf } from "./admin-route.ts"
import { decodeAccount, decodeReason } from "../../input/operator-requests.ts"

/** Owners of services. */
export const accountRoutes = (route: AdminRoute) =>
  Layer.mergeAll(
    route(
      "POST",
      "/accounts",
      Effect.fnUntraced(function* (exchange) {
        const { email = null, name = null } = yield* decodeAccount(yield* fieldsOf(exchange))
        return {
          status: 201,
          message: "Account created",
          data: yield* createAccount({ name, email }, operationOf(exchange))
        }
      })
    ),
    route(
      "GET",
      "/accounts/:id",
      Effect.fnUntraced(function* (exchange) {
        const account = yield* (yield* Directory).account(idOf(exchange))
        if (account === undefined) return yield* new AccountNotFound()
        return { message: "Account", data: account }
      })
    ),
    route(
      "POST",
      "/accounts/:id/verify",
      Effect.fnUntraced(function* (exchange) {
        const data = yield* changeAccount(idOf(exchange), { _tag: "VerifyAccount" }, operationOf(exchange))
        return { message: "Account verified", data }
      })
    ),
    route(
      "POST",
      "/accounts/:id/ban",
      Effect.fnUntraced(function* (exchange) {
        const { reason = null } = yield* decodeReason(yield* fieldsOf(exchange))
        const data = yield* changeAccount(idOf(exchange), { _tag: "BanAccount", reason }, operationOf(exchange))
        return { message: "Account banned", data }
      })
    ),
    route(
      "POST",
      "/accounts/:id/unban",
      Effect.fnUntraced(function* (exchange) {
        const data = yield* changeAccount(idOf(exchange), { _tag: "UnbanAccount" }, operationOf(exchange))
        return { message: "Account unbanned", data }
      })
    )
  )
