import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { bodyDigest } from "../../../application/callbacks/send-callbacks.ts"
import { notFoundBody, successBody } from "../../../application/jobs/verify-jobs.ts"
import type { Verification } from "../../../application/verification/verification-view.ts"
import { verifyBankData } from "../../../application/verification/verification-view.ts"
import { satang } from "../../../domain/money.ts"
import type { Transfer } from "../../../domain/slip/transfer.ts"
import vectors from "../../fixtures/slip-payload-vectors.json" with { type: "json" }

const job = { jobId: "7b0c8a8e-6f6b-4c5e-9d53-0f6d3a2b1c4d", batchId: null }
const timestamp = "2026-11-21T08:45:30.000Z"
const payload = vectors[0]?.payload ?? ""

const transfer: Transfer = {
  transRef: "00111222233344ABCD12",
  sendingBank: "014",
  transferredAt: "2026-11-21T15:45:00+07:00",
  countryCode: "TH",
  amount: satang(150_050),
  fee: satang(0),
  ref1: "",
  ref2: "",
  ref3: "",
  sender: {
    bank: { id: "014", name: "ธนาคารไทยพาณิชย์", short: "SCB" },
    account: { name: { th: 'สมชาย "ใจดี"' } }
  },
  receiver: { bank: { id: "", name: "", short: "" }, account: { name: { en: "Shop" } }, merchantId: null }
}
const verification: Verification = {
  verificationId: job.jobId,
  payload,
  transfer,
  duplicate: null,
  isForgotten: false,
  remark: undefined,
  expectedAmount: undefined,
  isAmountMatched: undefined,
  matching: null,
  acceptance: undefined
}

describe("the body of a callback", () => {
  it("of a success has the same data as the answer to a verification", () => {
    const body = successBody(job, verification, timestamp)
    assert.strictEqual(
      body,
      `{"jobId":"${job.jobId}","batchId":null,"status":"success",`
        + `"data":${JSON.stringify(verifyBankData(verification))},"timestamp":"${timestamp}"}`
    )
    assert.deepInclude(JSON.parse(body).data, { isDuplicate: false, amountInSlip: 1500.5, verificationId: job.jobId })
  })

  it("of a success has the remark, the expected amount and the first verification when they exist", () => {
    const duplicate = { firstVerifiedAt: timestamp, sameBranch: true, count: 2 }
    const requested = { remark: "โต๊ะ 5", expectedAmount: satang(150_050), isAmountMatched: true, duplicate }
    const { data } = JSON.parse(successBody(job, { ...verification, ...requested }, timestamp))
    const expected = { remark: "โต๊ะ 5", amountInOrder: 1500.5, isAmountMatched: true, isDuplicate: true, duplicate }
    assert.deepInclude(data, expected)
  })

  it("of a slip that was not found has the reason and no data", () => {
    const batch = { ...job, batchId: "b2b7f4e0-3c0d-4d55-8a43-0d4c3c1f5e6a" }
    const error = { code: "SLIP_NOT_FOUND", message: "Slip not found or invalid" }
    assert.strictEqual(
      notFoundBody(batch, error, timestamp),
      `{"jobId":"${batch.jobId}","batchId":"${batch.batchId}","status":"not_found",`
        + `"error":{"code":"SLIP_NOT_FOUND","message":"Slip not found or invalid"},"timestamp":"${timestamp}"}`
    )
  })

  it("is identified by the digest of its bytes", async () => {
    const body = successBody(job, verification, timestamp)
    assert.strictEqual(await bodyDigest(body), createHash("sha256").update(body, "utf8").digest("hex"))
  })
})
