import { Effect, Layer } from "effect"
import { Directory } from "../../../application/provisioning/directory.ts"
import { createKey, listKeys, revokeKey, rotateKey } from "../../../application/provisioning/keys.ts"
import { BranchNotFound } from "../../../domain/branch.ts"
import { adminOperations as operations } from "../api/operations/admin.ts"
import type { AdminRoute } from "./admin-route.ts"

/** The API keys of all branches. */
export const keyRoutes = (route: AdminRoute) =>
  Layer.mergeAll(
    route(
      operations.listApiKeys,
      Effect.fnUntraced(function* ({ id, page }) {
        if ((yield* (yield* Directory).branch(id)) === undefined) return yield* new BranchNotFound()
        return yield* listKeys(id, page)
      })
    ),
    route(operations.createApiKey, ({ body, id, operation }) => createKey(id, body, operation)),
    route(
      operations.revokeApiKey,
      ({ id, operation, params: { keyId } }) => revokeKey(id, keyId.toLowerCase(), operation)
    ),
    route(
      operations.rotateApiKey,
      ({ body: { overlapSeconds }, id, operation, params: { keyId } }) =>
        rotateKey(id, keyId.toLowerCase(), operation, overlapSeconds)
    )
  )
