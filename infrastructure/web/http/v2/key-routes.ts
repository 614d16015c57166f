import { Effect, Layer } from "effect"
import { createKey, listKeys, revokeKey, rotateKey } from "../../../../application/provisioning/keys.ts"
import { keys } from "../../api/operations/keys.ts"
import { branchOperation, v2Endpoint } from "../operations/operation-endpoint.ts"

/** The API keys of a branch (docs/spec/http.md, "API keys"). */
export const layerKeys = Layer.mergeAll(
  v2Endpoint(keys.listApiKeys, ({ caller: { branchId }, page }) => listKeys(branchId, page)),
  v2Endpoint(
    keys.createApiKey,
    (request) => {
      const { body, caller: { branchId, key } } = request
      return Effect.catchTag(createKey(branchId, body, branchOperation(request), key), "BranchNotFound", Effect.die)
    }
  ),
  v2Endpoint(
    keys.revokeApiKey,
    (request) => {
      const { caller: { branchId }, params: { id } } = request
      return Effect.catchTag(
        revokeKey(branchId, id.toLowerCase(), branchOperation(request)),
        "BranchNotFound",
        Effect.die
      )
    }
  ),
  v2Endpoint(
    keys.rotateApiKey,
    (request) => {
      const { body: { overlapSeconds }, caller: { branchId, key }, params: { id } } = request
      return Effect.catchTag(
        rotateKey(branchId, id.toLowerCase(), branchOperation(request), overlapSeconds, key),
        "BranchNotFound",
        Effect.die
      )
    }
  )
)
