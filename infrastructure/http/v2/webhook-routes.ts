import { Effect, Layer, Schema } from "effect"
import { changeBranch, rotateWebhookSecret } from "../../../application/provisioning/branches.ts"
import { parseId } from "../../../domain/ids.ts"
import { DeliveryOutcome } from "../../../projections/models/callbacks.ts"
import { deliveries } from "../../../application/callbacks/list-callbacks.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { WebhookBody } from "../api/branch-fields.ts"
import { authenticate } from "../authenticate.ts"
import { fieldsOf, readBody } from "../body.ts"
import type { Exchange } from "../endpoint.ts"
import { pageOf, queryOf } from "../page.ts"
import { endpoint, operationOf } from "./branch-operation.ts"
import { checkCallbackUrl } from "./callback-url.ts"
import { decodeRotation } from "../../input/operator-requests.ts"
import { decodeFields, invalid } from "../../input/decode.ts"
import { toApiError } from "../application-failures.ts"

const decodeWebhook = decodeFields(WebhookBody)

const show = endpoint(
  "GET",
  "/v2/webhook",
  Effect.fnUntraced(function* (exchange) {
    const { branchId } = yield* authenticate(exchange)
    const directory = yield* Directory
    const branch = yield* Effect.mapError(directory.branch(branchId), toApiError)
    return { message: "Default webhook URL", data: { url: branch?.webhookUrl ?? null } }
  })
)

const change = endpoint(
  "PUT",
  "/v2/webhook",
  Effect.fnUntraced(function* (exchange) {
    const caller = yield* authenticate(exchange)
    const { url } = yield* decodeWebhook((yield* readBody(exchange)).fields)
    yield* checkCallbackUrl(url)
    const changed = yield* changeBranch(caller.branchId, { webhookUrl: url }, operationOf(caller, exchange)).pipe(
      Effect.catchTag("BranchNotFound", Effect.die),
      Effect.mapError(toApiError)
    )
    return { message: "Default webhook URL changed", data: { url: changed.webhookUrl } }
  })
)

const rotate = endpoint(
  "POST",
  "/v2/webhook/secret/rotate",
  Effect.fnUntraced(function* (exchange) {
    const caller = yield* authenticate(exchange)
    const { overlapSeconds } = yield* decodeRotation(yield* fieldsOf(exchange))
    const data = yield* rotateWebhookSecret(caller.branchId, operationOf(caller, exchange), overlapSeconds).pipe(
      Effect.catchTag("BranchNotFound", Effect.die),
      Effect.mapError(toApiError)
    )
    return { message: "Webhook secret rotated; the new one is shown this once", data }
  })
)

const isOutcome = Schema.is(DeliveryOutcome)

const filterOf = Effect.fnUntraced(function* (exchange: Exchange) {
  const query = queryOf(exchange)
  const status = query.get("status") ?? undefined
  const job = query.get("jobId") ?? undefined
  const jobId = job === undefined ? undefined : parseId(job)
  if (job !== undefined && jobId === undefined) return yield* invalid({ path: "jobId", message: "Expected a UUID" })
  if (status !== undefined && !isOutcome(status)) {
    return yield* invalid({ path: "status", message: `Expected one of ${DeliveryOutcome.literals.join(", ")}` })
  }
  return { status, jobId }
})

const list = endpoint(
  "GET",
  "/v2/webhook/deliveries",
  Effect.fnUntraced(function* (exchange) {
    const { branchId } = yield* authenticate(exchange)
    const asked = { branchId, ...(yield* filterOf(exchange)), ...(yield* pageOf(exchange)) }
    return { message: "Deliveries", data: yield* Effect.mapError(deliveries(asked), toApiError) }
  })
)

/** How a branch is called back (docs/spec/http.md, "Callback", "Secret rotation"). */
export const layerWebhook = Layer.mergeAll(show, change, rotate, list)
