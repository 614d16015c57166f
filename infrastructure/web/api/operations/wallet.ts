import { walletRequests, walletVerified } from "../examples.ts"
import { bankCodes, fetchedPictureCodes, keyedCodes, scopedCodes, type V2Code } from "../failures.ts"
import type { BranchOperation } from "../operation.ts"
import { WalletBatchRequest, walletBodies, WalletEnqueueRequest, WalletEnqueueUrlencoded } from "../requests/slips.ts"
import { VerifyWalletData } from "../../../../application/views/slip.ts"
import { BATCH_LIMITS, batchAccepted, intakeCodes, slipAccepted } from "./later.ts"
import { ok, operationsOf } from "./declare.ts"

const { post } = operationsOf("TrueMoney")

/** TrueMoney slips, now and later (docs/spec/http.md, "POST /v2/verify/truewallet", "TrueMoney slips later"). */
export const wallet = {
  verifyWallet: post("/v2/verify/truewallet", {
    isKeyed: true,
    scopes: ["verify"],
    summary: "Verify a TrueMoney slip now",
    description: "Reads the transaction id from the QR code of the picture, and sends the picture to a gateway that "
      + "verifies TrueMoney slips. Quota, duplicates and charging are those of `POST /v2/verify/bank`; a slip that was "
      + "verified before is answered without a gateway. The picture is not stored.\n\nTRUEWALLET_NOT_SUPPORTED: no "
      + "gateway of this service can do it. SLIP_NOT_FOUND can also mean that the gateway could not read the picture.",
    body: {
      ...walletBodies,
      isSlip: true,
      examples: { url: { summary: "A picture by its URL", value: walletRequests.url } }
    },
    success: ok(VerifyWalletData, "TrueMoney slip verified", {
      verified: { summary: "Genuine, and not seen before", value: walletVerified }
    }),
    codes: [
      ...scopedCodes,
      "VALIDATION_ERROR",
      ...fetchedPictureCodes,
      ...bankCodes,
      "QUOTA_EXCEEDED",
      "WRONG_SLIP_KIND",
      "SEVERAL_SLIPS",
      "SLIP_NOT_FOUND",
      "SLIP_PENDING",
      "TRUEWALLET_NOT_SUPPORTED",
      ...keyedCodes
    ],
    fault: { path: "", message: "Give exactly one of image, base64, url" }
  }),
  verifyWalletAsync: post("/v2/verify/truewallet/async", {
    isKeyed: true,
    scopes: ["verify"],
    summary: "Enqueue a TrueMoney slip",
    description: "As `POST /v2/verify/bank/async`, for the URL of a TrueMoney slip's picture. The URL is fetched at "
      + "each attempt: pictures are never stored, so an uploaded one is refused. The operations of jobs return the "
      + "result.",
    callsBack: true,
    body: {
      json: WalletEnqueueRequest,
      urlencoded: WalletEnqueueUrlencoded,
      isSlip: true,
      examples: { url: { summary: "With a callback", value: walletRequests.later } }
    },
    success: slipAccepted,
    codes: [...intakeCodes, "TRUEWALLET_NOT_SUPPORTED"],
    fault: { path: "", message: "Give exactly one of image, base64, url" }
  }),
  verifyWalletBatch: post("/v2/verify/truewallet/batch", {
    isKeyed: true,
    scopes: ["verify"],
    summary: "Enqueue up to 100 TrueMoney slips",
    description: "As `POST /v2/verify/bank/batch`, with slips as `POST /v2/verify/truewallet/async` accepts them.",
    callsBack: true,
    body: {
      json: WalletBatchRequest,
      limits: BATCH_LIMITS,
      isBatch: true,
      isSlip: true,
      examples: { two: { summary: "Two slips, one callback URL", value: walletRequests.batch } }
    },
    success: batchAccepted,
    codes: [...intakeCodes, "TRUEWALLET_NOT_SUPPORTED"],
    fault: { path: "slips.3.url", message: "Must be an absolute http or https URL" }
  })
} as const satisfies Record<string, BranchOperation<V2Code>>
