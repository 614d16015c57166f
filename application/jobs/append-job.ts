import { Effect } from "effect"
import type { JobState } from "../../domain/job.ts"
import type { Satang } from "../../domain/money.ts"
import type { AccountQuestion } from "../../domain/slip/matching.ts"
import { isoTime } from "../../domain/time.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { jobs } from "../../domain/events/aggregates.ts"
import { type CommandContext, handleCommand, load } from "../events/handle-command.ts"
import type { Caller } from "../provisioning/callers.ts"
import { type JobSource, sealJobSource, subjectOfJob } from "../sealing/job-sealing.ts"
import type { SlipSource } from "../verification/slip-source.ts"
import { sealRemark } from "../sealing/slip-sealing.ts"

/** A slip as it is handed over to be verified later. */
export interface SlipHandedOver {
  readonly source: SlipSource
  readonly remark: string | undefined
  readonly expectedAmount: Satang | undefined
  /** Which of the branch's accounts the receiver is to be compared with; undefined: none. */
  readonly accounts: AccountQuestion | undefined
  /** Without one the branch's default is called back, or nobody. */
  readonly callbackUrl: string | undefined
}

/** A job that is to be; its places in the batch are null when the slip was handed over alone. */
export interface NewJob {
  readonly jobId: string
  readonly batchId: string | null
  readonly batchIndex: number | null
  readonly batchSize: number | null
  readonly slip: SlipHandedOver
}

/** Whose jobs they are, and when they are accepted. */
export interface Acceptance {
  readonly caller: Caller
  readonly context: Omit<CommandContext, "commandId">
  readonly month: string
}

const keepQuestion = ({ bankCode, extraVerify }: AccountQuestion) => ({
  bankCode: bankCode ?? null,
  extraVerify: extraVerify ?? null
})

/** Puts a job into the log; one that is there already stays as it is. */
export const appendJob = Effect.fnUntraced(function* (
  { slip, ...job }: NewJob,
  source: JobSource,
  { caller, context, month }: Acceptance
) {
  return yield* handleCommand(jobs, streamOf.job(job.jobId), {
    _tag: "Enqueue",
    ...job,
    serviceId: caller.serviceId,
    branchId: caller.branchId,
    at: isoTime(context.at),
    month,
    charged: true,
    source: yield* sealJobSource(source, job.jobId),
    remark: yield* sealRemark(slip.remark, subjectOfJob(job.jobId)),
    expectedAmount: slip.expectedAmount ?? null,
    accounts: slip.accounts === undefined ? null : keepQuestion(slip.accounts),
    callbackUrl: slip.callbackUrl ?? caller.branch.webhookUrl
  }, { ...context, commandId: job.jobId }).pipe(Effect.catchTag(["JobUnknown", "AttemptSkipped"], Effect.die))
})

/** A job as the log has it. */
export const jobState = (jobId: string) => Effect.map(load(jobs, streamOf.job(jobId)), ({ state }) => state)

/** Whether a job holds a unit, or has used it. */
export const holdsUnit = ({ ended, enqueued }: JobState): boolean =>
  ended === null ? enqueued !== null : ended._tag === "JobSucceeded" && ended.charged
