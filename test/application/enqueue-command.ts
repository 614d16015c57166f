import type { JobCommand } from "../../domain/job.ts"

type Enqueue = Extract<JobCommand, { readonly _tag: "Enqueue" }>

/** The command that enqueues one slip without a batch, charged to November 2026. */
export const enqueueCommand = (
  { serviceId = "service-1", ...job }:
    & Pick<Enqueue, "at" | "branchId" | "callbackUrl" | "jobId" | "source">
    & { readonly serviceId?: string }
): Enqueue => ({
  _tag: "Enqueue",
  batchId: null,
  batchIndex: null,
  batchSize: null,
  serviceId,
  month: "2026-11",
  charged: true,
  remark: null,
  expectedAmount: null,
  accounts: null,
  ...job
})
