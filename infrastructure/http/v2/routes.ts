import { Effect, Layer } from "effect"
import type { Verification } from "../../../application/verification/verification-view.ts"
import { SlipVerifier } from "../../../application/verification/verify-slip.ts"
import { decode } from "../../../application/verification/decode.ts"
import { info } from "../../../application/provisioning/info.ts"
import { successOf } from "../../../application/trail/locate-verification.ts"
import { verifyBankData } from "../../../application/verification/verification-view.ts"
import { banks } from "../../../domain/bank.ts"
import { authenticate } from "../authenticate.ts"
import { readBody } from "../body.ts"
import { idempotently } from "../idempotency.ts"
import type { Reply } from "../reply.ts"
import { layerAsync } from "./async-routes.ts"
import { layerBankAccounts } from "./bank-account-routes.ts"
import { endpoint } from "./branch-operation.ts"
import { parseDecodeRequest, parseVerifyRequest, typed } from "./verify-request.ts"
import { layerWebhook } from "./webhook-routes.ts"
import { toApiError } from "../application-failures.ts"

const health = endpoint("GET", "/v2/health", () => Effect.succeed({ data: { status: "ok" }, message: "OK" }))

const infoEndpoint = endpoint(
  "GET",
  "/v2/info",
  Effect.fnUntraced(function* (exchange) {
    const caller = yield* authenticate(exchange)
    return { data: yield* Effect.mapError(info(caller), toApiError), message: "Application information" }
  })
)

const banksEndpoint = endpoint(
  "GET",
  "/v2/banks",
  Effect.fnUntraced(function* (exchange) {
    yield* authenticate(exchange)
    return { data: banks, message: "Supported banks" }
  })
)

const verified = (verification: Verification): Reply => ({
  data: verifyBankData(verification),
  message: "Bank slip verified"
})

const verifyBank = endpoint(
  "POST",
  "/v2/verify/bank",
  Effect.fnUntraced(function* (exchange) {
    const caller = yield* authenticate(exchange)
    const body = yield* readBody(exchange)
    const asked = yield* parseVerifyRequest(body)
    const { verify } = yield* SlipVerifier
    const { branch: { quota }, branchId, serviceId } = caller
    const correlationId = exchange.requestId
    return yield* idempotently(exchange, caller, typed(body), {
      run: (verificationId) =>
        Effect.map(verify({ verificationId, serviceId, branchId, quota, correlationId, ...asked }), verified),
      recall: (verificationId) =>
        Effect.map(successOf(verificationId), (known) => known === undefined ? undefined : verified(known))
    })
  })
)

const decodeEndpoint = endpoint(
  "POST",
  "/v2/decode",
  Effect.fnUntraced(function* (exchange) {
    yield* authenticate(exchange)
    const source = yield* parseDecodeRequest(yield* readBody(exchange))
    return { data: yield* Effect.mapError(decode(source), toApiError), message: "QR code read; no bank was asked" }
  })
)

/** The endpoints of v2 (docs/spec/http.md, "v2 endpoints"). */
export const layerV2 = Layer.mergeAll(
  health,
  infoEndpoint,
  banksEndpoint,
  verifyBank,
  decodeEndpoint,
  layerAsync,
  layerWebhook,
  layerBankAccounts
)
