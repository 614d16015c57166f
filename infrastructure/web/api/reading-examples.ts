import { duplicate, ids, SLIP_NOT_FOUND, verified } from "./examples.ts"
import type { NoteView, VerificationDetail } from "../../../application/views/verification.ts"
import type { Jobs, Usage, Verifications } from "./responses/reading.ts"

const failed = {
  verificationId: "1b8de7f4-20a2-4c5f-8a8e-9d6a6b3f0d51",
  at: "2026-11-22T00:04:02.118Z",
  outcome: "SLIP_NOT_FOUND"
} as const

export const verificationItems: typeof Verifications.Type = {
  items: [
    {
      verificationId: duplicate.verificationId,
      at: "2026-11-22T00:05:11.204Z",
      outcome: "duplicate",
      isDuplicate: true,
      accepted: null,
      amount: 1500.5,
      charged: false,
      kind: "bank",
      remark: "order 42"
    },
    {
      ...failed,
      isDuplicate: null,
      accepted: null,
      amount: null,
      charged: false,
      kind: null,
      remark: null
    }
  ],
  nextCursor: null
}

export const note: NoteView = {
  noteId: "7d0f1c52-58a4-4d0e-9f3c-2b6a1e8d4c70",
  at: "2026-11-22T00:10:41.530Z",
  text: "The customer called: the second transfer is for order 43",
  keyId: null
}

const answered = { jobId: null, requestId: ids.request, clientRequestId: null }

export const detail: VerificationDetail = {
  verificationId: ids.verification,
  at: "2026-11-22T00:03:25.759Z",
  outcome: "verified",
  charged: true,
  kind: "bank",
  ...answered,
  data: verified,
  notes: [note]
}

export const failedDetail: VerificationDetail = {
  ...failed,
  charged: false,
  kind: null,
  ...answered,
  error: SLIP_NOT_FOUND,
  notes: []
}

export const usage: typeof Usage.Type = {
  items: [{ day: "2026-11-22", verified: 40, duplicates: 2, failures: { SLIP_NOT_FOUND: 3 }, charged: 40 }],
  nextCursor: null
}

export const jobItems: typeof Jobs.Type = {
  items: [{
    jobId: ids.job,
    status: "success",
    createdAt: "2026-11-22T00:03:25.759Z",
    attempts: 1,
    nextAttemptAt: null
  }],
  nextCursor: null
}
