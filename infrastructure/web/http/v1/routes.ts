import { Effect, Layer } from "effect"
import type { RequestIds } from "../../../../application/events/handle-command.ts"
import type { Caller } from "../../../../application/provisioning/callers.ts"
import { ownQuota } from "../../../../application/provisioning/info.ts"
import type { SlipKind } from "../../../../application/verification/slip-source.ts"
import { rawSlip, rawWalletSlip, type Verification } from "../../../../application/verification/verification-view.ts"
import { SlipVerifier } from "../../../../application/verification/verify-slip.ts"
import { requireWalletGateway } from "../../../../application/verification/wallet-slip.ts"
import { Identifiers } from "../../../../ports/identifiers.ts"
import { type V1Error, v1Error } from "../../api/failures.ts"
import { v1Operations } from "../../api/operations/all.ts"
import type { Fields } from "../../input/decode.ts"
import { decodedBy } from "../operations/decode-request.ts"
import { v1Endpoint } from "../operations/operation-endpoint.ts"
import { decodeV1Fields, decodeV1Query, decodeV1Wallet, type V1VerifyInput } from "./verify-request.ts"

const me = v1Endpoint(
  v1Operations.me,
  Effect.fnUntraced(function* ({ caller }) {
    const { max, remaining, used } = yield* ownQuota(caller)
    const { expiresAt, name } = caller.service
    return { application: name, usedQuota: used, maxQuota: max, remainingQuota: remaining, expiredAt: expiresAt }
  })
)

const verify = Effect.fnUntraced(function* <Slip extends NonNullable<V1Error["data"]>>(
  { caller, clientRequestId, correlationId }: Omit<RequestIds, "actor"> & { readonly caller: Caller },
  { checkDuplicate, source }: V1VerifyInput,
  kind: SlipKind,
  slipOf: (verification: Verification) => Slip
) {
  const { actor, branch: { quota }, branchId, serviceId } = caller
  const verificationId = (yield* Identifiers).newId()
  const verification = yield* (yield* SlipVerifier).verify({
    verificationId,
    serviceId,
    branchId,
    quota,
    kind,
    source,
    actor,
    correlationId,
    clientRequestId
  })
  const data = slipOf(verification)
  return checkDuplicate && verification.duplicate !== null ? yield* v1Error("duplicate_slip", { data }) : data
})

type V1Request = Parameters<typeof verify>[0]

const verifyBank = (request: V1Request, input: V1VerifyInput) =>
  verify(request, input, "bank", ({ payload, transfer }) => rawSlip(payload, transfer))

/**
 * The endpoints of v1 (docs/spec/http.md, "v1"). The handlers decode the slip: a schema cannot give the error codes of v1.
 */
export const layerV1 = Layer.mergeAll(
  me,
  v1Endpoint(
    decodedBy(v1Operations.verifyPayload, { decodeQuery: Effect.succeed<URLSearchParams> }),
    (request) => Effect.flatMap(decodeV1Query(request.query), (input) => verifyBank(request, input))
  ),
  v1Endpoint(
    decodedBy(v1Operations.verifyPicture, { decodeBody: Effect.succeed<Fields> }),
    (request) => Effect.flatMap(decodeV1Fields(request.body), (input) => verifyBank(request, input))
  ),
  v1Endpoint(
    decodedBy(v1Operations.verifyWallet, { decodeBody: Effect.succeed<Fields> }),
    Effect.fnUntraced(function* (request) {
      yield* requireWalletGateway
      return yield* verify(
        request,
        yield* decodeV1Wallet(request.body),
        "truemoney",
        ({ transfer }) => rawWalletSlip(transfer)
      )
    })
  )
)
