import { Effect, Layer } from "effect"
import { SlipVerifier } from "../../../application/verification/verify-slip.ts"
import { Identifiers } from "../../../ports/identifiers.ts"
import type { Caller } from "../../../application/provisioning/callers.ts"
import { ownQuota } from "../../../application/provisioning/info.ts"
import { rawSlip } from "../../../application/verification/verification-view.ts"
import { identify } from "../authenticate.ts"
import { readBody } from "../body.ts"
import { endpoints, type Exchange } from "../endpoint.ts"
import { queryOf } from "../page.ts"
import { v1Envelope } from "./envelope.ts"
import { parseBody, parseQuery, type VerifyRequest } from "./verify-request.ts"
import { V1Error } from "../api/failures.ts"
import { toV1Error } from "../application-failures.ts"

const endpoint = endpoints(v1Envelope)

/** Forms that are read: with files, and what simple clients send. */
const FORMS = ["multipart/form-data", "application/x-www-form-urlencoded"]

const me = Effect.fnUntraced(function* (exchange: Exchange) {
  const caller = yield* identify(exchange)
  const { max, remaining, used } = yield* ownQuota(caller)
  const { expiresAt, name } = caller.service
  const quota = { usedQuota: used, maxQuota: max, remainingQuota: remaining }
  return { data: { application: name, ...quota, expiredAt: expiresAt } }
}, Effect.mapError(toV1Error))

const verify = Effect.fnUntraced(function* (
  caller: Caller,
  { checkDuplicate, source }: VerifyRequest,
  { requestId }: Exchange
) {
  const verifier = yield* SlipVerifier
  const { duplicate, payload, transfer } = yield* verifier.verify({
    verificationId: (yield* Identifiers).random(),
    serviceId: caller.serviceId,
    branchId: caller.branchId,
    quota: caller.branch.quota,
    source,
    correlationId: requestId
  })
  const data = rawSlip(payload, transfer)
  if (checkDuplicate && duplicate !== null) return yield* new V1Error({ code: "duplicate_slip", data })
  return { data }
})

const verifyQuery = Effect.fnUntraced(function* (exchange: Exchange) {
  // Whoever asks for the headers alone would claim the slip, and be told of a duplicate once he asks for the rest.
  if (exchange.request.method === "HEAD") return yield* v1Envelope.notFound
  const caller = yield* identify(exchange)
  return yield* verify(caller, yield* parseQuery(queryOf(exchange)), exchange)
}, Effect.mapError(toV1Error))

const verifyBody = Effect.fnUntraced(function* (exchange: Exchange) {
  const caller = yield* identify(exchange)
  return yield* verify(caller, yield* parseBody(yield* readBody(exchange, FORMS)), exchange)
}, Effect.mapError(toV1Error))

const layerBelow = <Prefix extends `/${string}`>(prefix: Prefix) =>
  Layer.mergeAll(
    endpoint("GET", `${prefix}/me`, me),
    endpoint("GET", `${prefix}/verify`, verifyQuery),
    endpoint("POST", `${prefix}/verify`, verifyBody)
  )

/** The endpoints of v1 (docs/spec/http.md, "v1"), at its base and at the alias of that. */
export const layerV1 = Layer.merge(layerBelow("/v1"), layerBelow("/api/v1"))
