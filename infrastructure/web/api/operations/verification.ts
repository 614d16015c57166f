import type { BranchOperation } from "../operation.ts"
import { DecodeForm, DecodeRequest, verifyBodies } from "../requests/slips.ts"
import { decoded, duplicate, matched, notAccepted, requests, verified } from "../examples.ts"
import { VerifyBankData } from "../../../../application/views/slip.ts"
import { Decoded } from "../responses/decoded.ts"
import { bankCodes, fetchedPictureCodes, keyedCodes, scopedCodes, type V2Code } from "../failures.ts"
import { ok, operationsOf } from "./declare.ts"

const { post } = operationsOf("Verification")

/**
 * Verification at once, and decoding without asking a bank (docs/spec/http.md, "POST /v2/verify/bank", "Offline look at
 * a payload").
 */
export const verification = {
  verifyBank: post("/v2/verify/bank", {
    isKeyed: true,
    scopes: ["verify"],
    summary: "Verify a slip now",
    description: "Asks the bank and answers with what it says. A success that this branch has not had before costs "
      + "one unit of its quota; a repeat by the same branch is free and answered from what is known; a failure costs "
      + "nothing.\n\nSLIP_PENDING: the transfer is so recent that its bank may not know it yet. It and "
      + "API_SERVER_ERROR say in `Retry-After` when to ask again.",
    body: {
      ...verifyBodies,
      isSlip: true,
      examples: {
        payload: { summary: "The text of the QR code", value: requests.payload },
        amount: { summary: "With the amount that is expected", value: requests.amount },
        account: { summary: "Did it go to one of my accounts?", value: requests.account },
        conditions: { summary: "May I deliver?", value: requests.conditions },
        url: { summary: "A picture by its URL", value: requests.url }
      }
    },
    success: ok(VerifyBankData, "Bank slip verified", {
      verified: { summary: "Genuine, and not seen before", value: verified },
      duplicate: { summary: "Genuine, and seen before", value: duplicate },
      matched: { summary: "To one of the branch's accounts", value: matched },
      notAccepted: { summary: "Genuine, and not accepted under the conditions", value: notAccepted }
    }),
    codes: [
      ...scopedCodes,
      "VALIDATION_ERROR",
      ...fetchedPictureCodes,
      ...bankCodes,
      "QUOTA_EXCEEDED",
      "SEVERAL_SLIPS",
      "SLIP_NOT_FOUND",
      "SLIP_PENDING",
      ...keyedCodes
    ],
    fault: { path: "matchAmount", message: "Expected an amount above 0 with at most two decimals" }
  }),
  decode: post("/v2/decode", {
    isSafe: true,
    scopes: ["verify"],
    summary: "Look at a QR code offline",
    description: "What the QR code says, and nothing more: no bank is asked, nothing is charged, nothing is kept.",
    body: {
      json: DecodeRequest,
      form: DecodeForm,
      urlencoded: DecodeRequest,
      isSlip: true,
      examples: { payload: { summary: "The text of the QR code", value: requests.payload } }
    },
    success: ok(Decoded, "QR code read; no bank was asked", { slip: { summary: "A bank slip", value: decoded } }),
    codes: [...scopedCodes, "VALIDATION_ERROR", ...fetchedPictureCodes, "SLIP_NOT_FOUND"],
    fault: { path: "", message: "Give exactly one of payload, image, base64, url" }
  })
} as const satisfies Record<string, BranchOperation<V2Code>>
