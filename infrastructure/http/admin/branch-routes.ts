import { Effect, Layer } from "effect"
import {
  changeBranch,
  rotateApiKey,
  rotateWebhookSecret,
  switchBranch
} from "../../../application/provisioning/branches.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { BranchNotFound } from "../../../domain/branch.ts"
import { fieldsOf } from "../body.ts"
import { type AdminRoute, idOf, operationOf } from "./admin-route.ts"
import { decodeBranchChange, decodeRotation } from "../../input/operator-requests.ts"

/** Branches: their rules, their key and their webhook secret. */
export const branchRoutes = (route: AdminRoute) =>
  Layer.mergeAll(
    route(
      "GET",
      "/branches/:id",
      Effect.fnUntraced(function* (exchange) {
        const branch = yield* (yield* Directory).branch(idOf(exchange))
        if (branch === undefined) return yield* new BranchNotFound()
        return { message: "Branch", data: branch }
      })
    ),
    route(
      "PATCH",
      "/branches/:id",
      Effect.fnUntraced(function* (exchange) {
        const change = yield* decodeBranchChange(yield* fieldsOf(exchange))
        return { message: "Branch changed", data: yield* changeBranch(idOf(exchange), change, operationOf(exchange)) }
      })
    ),
    route(
      "POST",
      "/branches/:id/activate",
      Effect.fnUntraced(function* (exchange) {
        const data = yield* switchBranch(idOf(exchange), "active", operationOf(exchange))
        return { message: "Branch activated", data }
      })
    ),
    route(
      "POST",
      "/branches/:id/deactivate",
      Effect.fnUntraced(function* (exchange) {
        const data = yield* switchBranch(idOf(exchange), "inactive", operationOf(exchange))
        return { message: "Branch deactivated", data }
      })
    ),
    route(
      "POST",
      "/branches/:id/rotate-key",
      Effect.fnUntraced(function* (exchange) {
        const data = yield* rotateApiKey(idOf(exchange), operationOf(exchange))
        return { message: "API key rotated; the new one is shown this once", data }
      })
    ),
    route(
      "POST",
      "/branches/:id/rotate-webhook-secret",
      Effect.fnUntraced(function* (exchange) {
        const { overlapSeconds } = yield* decodeRotation(yield* fieldsOf(exchange))
        const data = yield* rotateWebhookSecret(idOf(exchange), operationOf(exchange), overlapSeconds)
        return { message: "Webhook secret rotated; the new one is shown this once", data }
      })
    )
  )
