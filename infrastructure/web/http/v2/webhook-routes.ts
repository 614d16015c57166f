import { Effect, Layer } from "effect"
import { listDeliveries } from "../../../../application/callbacks/list-callbacks.ts"
import { changeBranch, rotateWebhookSecret } from "../../../../application/provisioning/branches.ts"
import { Directory } from "../../../../application/provisioning/directory.ts"
import { callbacks } from "../../api/operations/callbacks.ts"
import { branchOperation, v2Endpoint } from "../operations/operation-endpoint.ts"
import { checkCallbackUrl } from "./callback-url.ts"

const show = v2Endpoint(
  callbacks.getWebhook,
  Effect.fnUntraced(function* ({ caller: { branchId } }) {
    const branch = yield* (yield* Directory).branch(branchId)
    return { url: branch?.webhookUrl ?? null }
  })
)

const change = v2Endpoint(
  callbacks.setWebhook,
  Effect.fnUntraced(function* (request) {
    const { body: { url }, caller: { branchId } } = request
    yield* checkCallbackUrl(url, branchId)
    const changed = yield* changeBranch(branchId, { webhookUrl: url }, branchOperation(request)).pipe(
      Effect.catchTag("BranchNotFound", Effect.die)
    )
    return { url: changed.webhookUrl }
  })
)

const rotate = v2Endpoint(
  callbacks.rotateWebhookSecret,
  (request) =>
    rotateWebhookSecret(request.caller.branchId, branchOperation(request), request.body.overlapSeconds).pipe(
      Effect.catchTag("BranchNotFound", Effect.die)
    )
)

const list = v2Endpoint(
  callbacks.listDeliveries,
  ({ caller: { branchId }, page, query: { from, jobId, order, status, to } }) =>
    listDeliveries({ branchId, jobId, status, from, to, order, ...page })
)

/** The callbacks of a branch (docs/spec/http.md, "Callback" and "Secret rotation"). */
export const layerWebhook = Layer.mergeAll(show, change, rotate, list)
