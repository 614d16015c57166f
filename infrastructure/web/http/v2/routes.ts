import { Effect, Layer } from "effect"
import { chargesCounted, info } from "../../../../application/provisioning/info.ts"
import { decode, type SlipKind } from "../../../../application/verification/slip-source.ts"
import {
  findVerification,
  type Verification,
  verifyBankData,
  verifyWalletData
} from "../../../../application/verification/verification-view.ts"
import { verifyForCaller } from "../../../../application/verification/verify-for-caller.ts"
import { requireWalletGateway } from "../../../../application/verification/wallet-slip.ts"
import { banks } from "../../../../domain/bank.ts"
import { information } from "../../api/operations/information.ts"
import { idempotently } from "../operations/idempotency.ts"
import { type BranchRequestOf, v2Endpoint } from "../operations/operation-endpoint.ts"
import { layerBankAccounts } from "./bank-account-routes.ts"
import { slipOperations } from "./decoded-operations.ts"
import { layerKeys } from "./key-routes.ts"
import { layerJobs } from "./job-routes.ts"
import { layerReading } from "./reading-routes.ts"
import { layerWebhook } from "./webhook-routes.ts"

type VerifyRequest = BranchRequestOf<typeof slipOperations.verifyBank>

const verifyNow = <Data>(
  request: Omit<VerifyRequest, "params">,
  kind: SlipKind,
  dataOf: (verification: Verification) => Data
) => {
  const { body: slip, caller, clientRequestId, correlationId } = request
  return idempotently(request, {
    run: (verificationId) =>
      Effect.map(
        verifyForCaller({ verificationId, caller, correlationId, clientRequestId, kind, slip }),
        dataOf
      ),
    recall: (verificationId) =>
      Effect.map(findVerification(verificationId), (known) => known === undefined ? undefined : dataOf(known))
  })
}

/** The endpoints of v2 (docs/spec/http.md, "v2 endpoints"). */
export const layerV2 = Layer.mergeAll(
  v2Endpoint(information.health, () => Effect.succeed({ status: "ok" as const })),
  v2Endpoint(information.info, ({ caller }) => Effect.andThen(chargesCounted, info(caller))),
  v2Endpoint(information.banks, () => Effect.succeed(banks)),
  v2Endpoint(slipOperations.verifyBank, (request) => verifyNow(request, "bank", verifyBankData)),
  v2Endpoint(
    slipOperations.verifyWallet,
    (request) => Effect.andThen(requireWalletGateway, verifyNow(request, "truemoney", verifyWalletData))
  ),
  v2Endpoint(slipOperations.decode, ({ body, caller: { branchId } }) => decode(body, branchId)),
  layerJobs,
  layerWebhook,
  layerBankAccounts,
  layerKeys,
  layerReading
)
