import { Result, Schema } from "effect"
import { AttemptSkipped } from "./callback.ts"
import { type Complete, type Decider, eventsOf } from "./decider.ts"
import { Satang } from "./money.ts"
import { Sealed } from "./sealed.ts"
import { Conditions } from "./slip/conditions.ts"
import { replyFields } from "./slip/gateway-reply.ts"

/**
 * A slip that was enqueued to be verified later. Its stream, `job-{id}`, ensures that it ends exactly once: as a
 * success, or as not found after an attempt that is not retried (docs/spec/http.md, "Jobs").
 */

const owner = {
  jobId: Schema.String,
  /** Null for a slip that was enqueued alone. */
  batchId: Schema.NullOr(Schema.String),
  serviceId: Schema.String,
  branchId: Schema.String,
  /** All times in this file are ISO 8601, UTC. */
  at: Schema.String,
  /** The quota month of the job, `yyyy-MM` in Asia/Bangkok: the month in which it was accepted. */
  month: Schema.String,
  /** Null: no callback is sent; the caller polls the result. */
  callbackUrl: Schema.NullOr(Schema.String)
}

// These names are the storage format: add, never edit.
export const JobEvent = Schema.TaggedUnion({
  VerificationEnqueued: {
    ...owner,
    /** Index in the batch from 0, and the number of its slips. So job 0 determines all jobs of the batch. */
    batchIndex: Schema.NullOr(Schema.Int),
    batchSize: Schema.NullOr(Schema.Int),
    /** Whether it holds one unit of the branch's quota of the month. */
    charged: Schema.Boolean,
    /** JSON: `{payload}`, `{url}` of a picture, or a `{fault}` with which the first attempt ends the job. */
    source: Sealed,
    remark: Schema.NullOr(Sealed),
    expectedAmount: Schema.NullOr(Satang),
    /** Which accounts of the branch the receiver is compared with, and how; null: it is not compared. */
    accounts: Schema.optionalKey(Schema.NullOr(Schema.Struct({
      bankCode: Schema.NullOr(Schema.String),
      extraVerify: Schema.NullOr(Schema.String)
    }))),
    /** The conditions of the request over those of the branch's policy, as they were at acceptance. */
    conditions: Schema.optional(Conditions),
    /** The version of that policy. Absent without a policy. */
    policyVersion: Schema.optional(Schema.Int),
    /** JSON of the accounts that the conditions list. Absent when they list none. */
    receivers: Schema.optional(Sealed),
    /** Keyed digest of the normalized remark within the branch, for filters. Absent without a remark. */
    remarkDigest: Schema.optional(Schema.String),
    nextAttemptAt: Schema.String
  },
  VerificationAttemptFailed: {
    jobId: Schema.String,
    branchId: Schema.String,
    /** 1 for the first. */
    attempt: Schema.Int,
    at: Schema.String,
    /** An error code (docs/spec/http.md, "GET job data"). */
    code: Schema.String,
    /** For a person: the step at which it ended, and the reason. */
    why: Schema.String,
    /** Null when no slip was read, so no bank was asked. */
    slipDigest: Schema.NullOr(Schema.String),
    gateway: Schema.NullOr(Schema.String),
    gatewayMillis: Schema.NullOr(Schema.Int),
    ...replyFields,
    /** Null after the last attempt: `JobNotFound` follows in the same append. */
    nextAttemptAt: Schema.NullOr(Schema.String),
    /** That of the first event, after the last attempt. */
    remarkDigest: Schema.optional(Schema.String),
    /** Keyed digest of the end of the slip's reference, for the search of operators. Absent without a slip, and in old events. */
    tailDigest: Schema.optional(Schema.String)
  },
  JobSucceeded: {
    ...owner,
    attempt: Schema.Int,
    /** False: this branch had the slip before, so a held unit is released. */
    charged: Schema.Boolean,
    isDuplicate: Schema.Boolean,
    slipDigest: Schema.String,
    /** The whole body of the callback, byte for byte. */
    result: Sealed
  },
  /** A held unit is released. */
  JobNotFound: {
    ...owner,
    attempt: Schema.Int,
    code: Schema.String,
    /** The kind of the slip, with the code `WRONG_SLIP_KIND`. Old events lack it. */
    wrongKind: Schema.optional(Schema.Literals(["bank", "truemoney"])),
    result: Sealed
  }
})
export type JobEvent = typeof JobEvent.Type
export type VerificationEnqueued = Extract<JobEvent, { readonly _tag: "VerificationEnqueued" }>
type JobNotFound = Extract<JobEvent, { readonly _tag: "JobNotFound" }>
export type JobEnded = Extract<JobEvent, { readonly _tag: "JobSucceeded" | "JobNotFound" }>

export interface JobState {
  readonly enqueued: VerificationEnqueued | null
  /** Attempts whose outcome is known. */
  readonly attempts: number
  /** When the next attempt is due; null once the job has ended. */
  readonly nextAttemptAt: string | null
  readonly ended: JobEnded | null
}

const evolve = (state: JobState, event: JobEvent): JobState => {
  switch (event._tag) {
    case "VerificationEnqueued":
      return { ...state, enqueued: event, nextAttemptAt: event.nextAttemptAt }
    case "VerificationAttemptFailed":
      return { ...state, attempts: event.attempt, nextAttemptAt: event.nextAttemptAt }
    case "JobSucceeded":
    case "JobNotFound":
      return { ...state, attempts: event.attempt, nextAttemptAt: null, ended: event }
  }
}

type OptionalFields = "conditions" | "policyVersion" | "receivers" | "remarkDigest"

type Enqueue =
  & { readonly _tag: "Enqueue" }
  & Omit<Complete<VerificationEnqueued>, "_tag" | "nextAttemptAt" | OptionalFields>
  & Pick<VerificationEnqueued, OptionalFields>

/** With a time for the next attempt, the job continues. Without one, it ends with the result. */
type FailAttempt =
  & { readonly _tag: "FailAttempt" }
  & Omit<
    Complete<Extract<JobEvent, { readonly _tag: "VerificationAttemptFailed" }>>,
    "_tag" | "jobId" | "branchId" | "nextAttemptAt" | "remarkDigest" | "tailDigest"
  >
  & { readonly tailDigest?: string | undefined; readonly wrongKind?: JobNotFound["wrongKind"] }
  & (
    | { readonly nextAttemptAt: string; readonly result: null }
    | { readonly nextAttemptAt: null; readonly result: Sealed }
  )

interface Succeed {
  readonly _tag: "Succeed"
  readonly attempt: number
  readonly at: string
  readonly charged: boolean
  readonly isDuplicate: boolean
  readonly slipDigest: string
  readonly result: Sealed
}

export type JobCommand = Enqueue | FailAttempt | Succeed

/** No job has that id. */
export class JobUnknown extends Schema.TaggedError<JobUnknown>()("JobUnknown", {}) {}

const make = eventsOf(JobEvent)

const ownerOf = ({ batchId, branchId, callbackUrl, jobId, month, serviceId }: VerificationEnqueued) => ({
  jobId,
  batchId,
  serviceId,
  branchId,
  month,
  callbackUrl
})

const enqueue = (command: Enqueue) => {
  const { accounts, at, batchId, batchIndex, batchSize, branchId, callbackUrl, charged } = command
  const { conditions, expectedAmount, jobId, month, policyVersion, receivers, remark } = command
  const { remarkDigest, serviceId, source } = command
  return make.VerificationEnqueued({
    jobId,
    batchId,
    serviceId,
    branchId,
    at,
    month,
    callbackUrl,
    batchIndex,
    batchSize,
    charged,
    source,
    remark,
    expectedAmount,
    accounts,
    conditions,
    policyVersion,
    receivers,
    remarkDigest,
    nextAttemptAt: at
  })
}

const failAttempt = (command: FailAttempt, enqueued: VerificationEnqueued): ReadonlyArray<Complete<JobEvent>> => {
  const { askedBefore, at, attempt, code, gateway, gatewayMillis, nextAttemptAt, result, slipDigest } = command
  const { tailDigest, upstream, why, wrongKind } = command
  const { branchId, jobId, remarkDigest } = enqueued
  return [
    make.VerificationAttemptFailed({
      jobId,
      branchId,
      attempt,
      at,
      code,
      why,
      slipDigest,
      gateway,
      gatewayMillis,
      upstream,
      askedBefore,
      nextAttemptAt,
      remarkDigest: nextAttemptAt === null ? remarkDigest : undefined,
      tailDigest
    }),
    ...(result === null ? [] : [make.JobNotFound({ ...ownerOf(enqueued), attempt, at, code, wrongKind, result })])
  ]
}

const decide = (
  command: JobCommand,
  state: JobState
): Result.Result<ReadonlyArray<Complete<JobEvent>>, JobUnknown | AttemptSkipped> => {
  const { attempts, ended, enqueued } = state
  if (command._tag === "Enqueue") return Result.succeed(enqueued === null ? [enqueue(command)] : [])
  if (enqueued === null) return Result.fail(new JobUnknown())
  if (ended !== null || command.attempt <= attempts) return Result.succeed([])
  if (command.attempt > attempts + 1) return Result.fail(new AttemptSkipped({ attempt: command.attempt }))
  if (command._tag === "FailAttempt") return Result.succeed(failAttempt(command, enqueued))
  const { at, attempt, charged, isDuplicate, result, slipDigest } = command
  const owner = ownerOf(enqueued)
  return Result.succeed([make.JobSucceeded({ ...owner, at, attempt, charged, isDuplicate, slipDigest, result })])
}

export const job: Decider<JobCommand, JobState, JobEvent, JobUnknown | AttemptSkipped> = {
  initialState: { enqueued: null, attempts: 0, nextAttemptAt: null, ended: null },
  evolve,
  decide,
  isTerminal: (state) => state.ended !== null
}

/** The most slips in one batch. docs/spec/http.md, "Async". */
export const MAX_BATCH_SLIPS = 100

export const JobStatus = Schema.Literals(["pending", "success", "not_found"])

export type JobStatus = typeof JobStatus.Type
