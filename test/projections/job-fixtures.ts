import type { JobEvent } from "../../domain/job.ts"

type JobEventOf<Tag> = Extract<JobEvent, { readonly _tag: Tag }>

const sealed = { k: "master", n: "bm9uY2U=", c: "c2VhbGVk" }

/** The times of a job and its callback. */
export const time = {
  begun: "2026-11-21T08:45:00.000Z",
  failed: "2026-11-21T08:45:02.000Z",
  retry: "2026-11-21T08:45:32.000Z",
  ended: "2026-11-21T08:45:33.000Z",
  sent: "2026-11-21T08:45:34.000Z",
  answered: "2026-11-21T08:45:35.000Z",
  resend: "2026-11-21T08:45:40.000Z",
  requested: "2026-11-21T09:00:00.000Z"
} as const

const owner = {
  jobId: "j-1",
  batchId: null,
  serviceId: "s-1",
  branchId: "silom",
  month: "2026-11",
  callbackUrl: "https://shop.example/hook"
}

export const enqueued: JobEventOf<"VerificationEnqueued"> = {
  _tag: "VerificationEnqueued",
  ...owner,
  batchIndex: null,
  batchSize: null,
  at: time.begun,
  charged: true,
  source: sealed,
  remark: null,
  expectedAmount: null,
  nextAttemptAt: time.begun
}

export const attemptFailed: JobEventOf<"VerificationAttemptFailed"> = {
  _tag: "VerificationAttemptFailed",
  jobId: "j-1",
  branchId: "silom",
  attempt: 1,
  at: time.failed,
  code: "SLIP_PENDING",
  why: "the bank does not know the transfer yet",
  slipDigest: null,
  gateway: null,
  gatewayMillis: null,
  nextAttemptAt: time.retry
}

export const succeeded: JobEventOf<"JobSucceeded"> = {
  _tag: "JobSucceeded",
  ...owner,
  attempt: 2,
  at: time.ended,
  charged: true,
  isDuplicate: false,
  slipDigest: "d1",
  result: sealed
}

export const notFound: JobEventOf<"JobNotFound"> = {
  _tag: "JobNotFound",
  ...owner,
  attempt: 2,
  at: time.ended,
  code: "SLIP_NOT_FOUND",
  result: sealed
}
