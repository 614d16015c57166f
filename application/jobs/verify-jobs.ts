import { Clock, Duration, Effect } from "effect"
import { type CommandContext, handleCommand } from "../events/handle-command.ts"
import { makeFetchLanes } from "./fetch-lanes.ts"
import { type LoadedJob, loadJob } from "./load-job.ts"
import { verificationProcess } from "./verification-process.ts"
import type { ProcessDefinition } from "../processes/driver.ts"
import { countAttempt } from "../processes/metrics.ts"
import { delayAfter, type RetrySchedule } from "../processes/retry-schedule.ts"
import { appendWithRetry, type Step, tracedStep } from "../processes/step.ts"
import { WorkNotifier } from "../processes/work-notifier.ts"
import {
  type JobError,
  type JobFault,
  type JobSource,
  openJobSource,
  openReceivers,
  openRemark,
  sealJobResult
} from "../sealing/sealed-data.ts"
import type { GatewayCall } from "../verification/ask-bank.ts"
import { callerError, describeFailure, NOT_ASKED } from "../verification/failures.ts"
import type { JudgingConditions } from "../verification/conditions.ts"
import { type Verification, verifyData } from "../verification/verification-view.ts"
import { payloadSource, type SlipKind } from "../verification/slip-source.ts"
import { type AttemptFailed, SlipVerifier, type VerificationRequest } from "../verification/verify-slip.ts"
import { branchActor } from "../../domain/actor.ts"
import { callbackHost } from "../../domain/callback.ts"
import { jobs, streamOf } from "../../domain/events/aggregates.ts"
import type { JobCommand, JobState, VerificationEnqueued } from "../../domain/job.ts"
import { isoTime } from "../../domain/time.ts"
import { MAX_STATED_WAIT_MILLIS } from "../../domain/waits.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { UnchargedLimiter } from "../../ports/uncharged-limiter.ts"
import { callbackLane } from "../../projections/models/callbacks.ts"
import { jobSets } from "../../projections/models/jobs.ts"

/** The process that verifies enqueued slips: it appends the outcome of each attempt to the job's stream. */
export const verifyJobs = ({ maxWaitMillis, schedule }: {
  readonly schedule: RetrySchedule
  /** See `ProcessDefinition`. */
  readonly maxWaitMillis: number
}) => {
  const lanes = makeFetchLanes()

  const perform = Effect.fnUntraced(function* (step: Step, { correlationId, ...loaded }: LoadedJob) {
    const { enqueued } = loaded.state
    if (enqueued === null) return
    const { callbackUrl, jobId } = enqueued
    const source = yield* openJobSource(enqueued.source)
    // The driver takes the job again at once, from its new lane.
    if (source !== undefined && isFetched(source) && lanes.move(enqueued)) return
    const startedAt = yield* Clock.currentTimeMillis
    const command = yield* attempt(step, enqueued, source, correlationId, schedule)
    const at = yield* Clock.currentTimeMillis
    const context: CommandContext = { commandId: (yield* Identifiers).newId(), correlationId, actor, at }
    const { after, events } = yield* appendWithRetry(
      handleCommand(jobs, streamOf.job(jobId), command, context, loaded),
      CLAIM_MILLIS - (at - startedAt)
    )
    if (events.length === 0) return
    yield* countUncharged(after, enqueued.branchId)
    yield* reportAttempt(step, command, at - startedAt)
    if (after.ended !== null && callbackUrl !== null) {
      const notify = yield* WorkNotifier
      yield* notify([{
        process: "callback-delivery",
        lane: callbackLane(enqueued.branchId, callbackHost(callbackUrl)),
        jobId
      }])
    }
  })

  const process: ProcessDefinition<LoadedJob, Step, Effect.Services<ReturnType<typeof perform | typeof loadJob>>> = {
    name: "verification",
    dueIndex: jobSets.due,
    load: loadJob,
    resume: ({ state }) => verificationProcess.resume(state),
    limiter: lanes.limiter,
    laneOf: lanes.laneOf,
    claimMillis: CLAIM_MILLIS,
    maxWaitMillis,
    perform: (step, state) => tracedStep("verification", step, state.origin, perform(step, state))
  }
  return process
}

const actor = { kind: "system", id: "worker" } as const

/** Waiting for a permit and fetching a picture take up to 13 seconds; reading it and asking a gateway follow. */
const CLAIM_MILLIS = 30_000

interface Failure {
  /** As the log has it. */
  readonly code: string
  /** As the caller gets it. */
  readonly error: JobError
  /** The kind of a slip that came to the other kind's endpoint. */
  readonly wrongKind: SlipKind | undefined
  readonly why: string
  readonly slipDigest: string | null
  readonly tailDigest: string | undefined
  /** Null when no bank was asked. */
  readonly asked: GatewayCall | null
  /** The shortest delay before a retry; undefined ends the job. */
  readonly retryAfter: Duration.Duration | undefined
  /** How long the slip may still be pending; undefined when it is not pending. */
  readonly pendingFor: Duration.Duration | undefined
}

const finalFailure = {
  slipDigest: null,
  tailDigest: undefined,
  asked: null,
  retryAfter: undefined,
  pendingFor: undefined
}

const erased = {
  code: "SLIP_NOT_FOUND",
  error: callerError("SLIP_NOT_FOUND"),
  wrongKind: undefined,
  why: "the slip was deleted on request before it was verified"
} as const

/** A fault of an uploaded picture. Only slips of banks are uploaded for later, so another kind is TrueMoney. */
const faultOf = ({ code, message, why }: JobFault) =>
  code === "WRONG_SLIP_KIND"
    ? { code, error: callerError(code, "truemoney"), wrongKind: "truemoney", why } as const
    : { code, error: { code, message }, wrongKind: undefined, why }

/** Makes one attempt and returns the command that records it. Fails when no attempt could be made. */
const attempt = Effect.fnUntraced(function* (
  step: Step,
  enqueued: VerificationEnqueued,
  source: JobSource | undefined,
  correlationId: string,
  schedule: RetrySchedule
): Effect.fn.Return<JobCommand, unknown, Effect.Services<ReturnType<typeof verifySource | typeof failAttempt>>> {
  if (source === undefined) return yield* failAttempt({ ...erased, ...finalFailure }, enqueued, step, schedule)
  if ("fault" in source) {
    return yield* failAttempt({ ...faultOf(source.fault), ...finalFailure }, enqueued, step, schedule)
  }
  return yield* verifySource(source, step, enqueued, correlationId).pipe(
    Effect.catchTag("AttemptFailed", (error) => failAttempt(failureOf(error), enqueued, step, schedule))
  )
})

type ReadableSource = Exclude<JobSource, { readonly fault: object }>

const isFetched = (source: JobSource): boolean => "url" in source || "walletUrl" in source

const slipOf = (source: ReadableSource): Pick<VerificationRequest, "kind" | "source"> => {
  if ("payload" in source) return { source: payloadSource(source.payload) }
  return "url" in source
    ? { source: { _tag: "ImageUrl", url: source.url } }
    : { kind: "truemoney", source: { _tag: "ImageUrl", url: source.walletUrl } }
}

/** The conditions that were in force when the job was accepted. */
const judgingOf = Effect.fnUntraced(function* ({ at, conditions, policyVersion, receivers }: VerificationEnqueued) {
  if (conditions === undefined) return undefined
  return {
    conditions,
    policyVersion: policyVersion ?? null,
    receivers: yield* openReceivers(receivers),
    receivedAt: at
  } satisfies JudgingConditions
})

const verifySource = Effect.fnUntraced(function* (
  source: ReadableSource,
  step: Step,
  enqueued: VerificationEnqueued,
  correlationId: string
) {
  const { accounts, branchId, expectedAmount, jobId, month, serviceId } = enqueued
  const { charged, slipDigest, verification } = yield* (yield* SlipVerifier).attempt({
    verificationId: jobId,
    serviceId,
    branchId,
    ...slipOf(source),
    remark: yield* openRemark(enqueued.remark),
    expectedAmount: expectedAmount ?? undefined,
    accounts: accounts === null || accounts === undefined ? undefined : {
      bankCode: accounts.bankCode ?? undefined,
      extraVerify: accounts.extraVerify ?? undefined
    },
    judging: yield* judgingOf(enqueued),
    presentedAt: Date.parse(enqueued.at),
    month,
    actor: branchActor(branchId),
    correlationId
  })
  const at = isoTime(yield* Clock.currentTimeMillis)
  const result = yield* sealJobResult(successBody(enqueued, verification, at), jobId)
  const isDuplicate = verification.duplicate !== null
  return { _tag: "Succeed", attempt: step.attempt, at, charged, isDuplicate, slipDigest, result } as const
})

/** The command for a failed attempt: it schedules the next attempt, or ends the job and seals its result. */
const failAttempt = Effect.fnUntraced(function* (
  { asked, code, error, pendingFor, retryAfter, slipDigest, tailDigest, why, wrongKind }: Failure,
  enqueued: VerificationEnqueued,
  step: Step,
  schedule: RetrySchedule
) {
  const now = yield* Clock.currentTimeMillis
  const at = isoTime(now)
  const failed = {
    _tag: "FailAttempt",
    attempt: step.attempt,
    at,
    code,
    why,
    slipDigest,
    tailDigest,
    wrongKind,
    ...(asked ?? NOT_ASKED)
  } as const
  const scheduled = retryAfter === undefined ? undefined : yield* delayAfter(schedule, step.retry, retryAfter)
  const delay = scheduled ?? (yield* lastDelay(schedule, step.retry, pendingFor))
  if (delay !== undefined) {
    return { ...failed, nextAttemptAt: isoTime(now + Math.round(Duration.toMillis(delay))), result: null }
  }
  const result = yield* sealJobResult(notFoundBody(enqueued, error, at), enqueued.jobId)
  return { ...failed, nextAttemptAt: null, result }
})

/**
 * The delay before the additional attempt of a pending slip, when the schedule has just been exhausted. The attempt is
 * after the time in which the slip may be pending, so that the job ends with a verdict.
 */
const lastDelay = Effect.fnUntraced(function* (
  schedule: RetrySchedule,
  retry: number,
  pendingFor: Duration.Duration | undefined
) {
  if (pendingFor === undefined || (yield* delayAfter(schedule, retry - 1)) === undefined) return undefined
  // The pending window includes its last moment.
  return Duration.sum(pendingFor, Duration.seconds(1))
})

const failureOf = ({ failure, slipDigest, tailDigest }: AttemptFailed): Failure => {
  const { pendingSeconds, retryAfterSeconds, ...described } = describeFailure(failure)
  const secondsOf = (seconds: number | null) =>
    seconds === null ? undefined : Duration.millis(Math.min(Math.max(0, seconds * 1_000), MAX_STATED_WAIT_MILLIS))
  return {
    ...described,
    wrongKind: failure._tag === "WrongSlipKind" ? failure.found : undefined,
    slipDigest,
    tailDigest,
    retryAfter: secondsOf(retryAfterSeconds),
    pendingFor: secondsOf(pendingSeconds)
  }
}

/** Takes a job that ended uncharged from the allowance of its branch. The job is in the log, so nothing refuses it. */
const countUncharged = Effect.fnUntraced(function* ({ ended }: JobState, branchId: string) {
  if (ended === null || (ended._tag === "JobSucceeded" && ended.charged)) return
  yield* (yield* UnchargedLimiter).owe(ended._tag === "JobSucceeded" ? "repeat" : "failure", branchId)
})

const outcomeOf = (command: JobCommand): "success" | "retry" | "not_found" => {
  if (command._tag !== "FailAttempt") return "success"
  return command.nextAttemptAt === null ? "not_found" : "retry"
}

const reportAttempt = ({ attempt, jobId }: Step, command: JobCommand, millis: number) => {
  const outcome = outcomeOf(command)
  const code = command._tag === "FailAttempt" ? { code: command.code } : {}
  return Effect.logInfo(`Job attempt: ${outcome}`).pipe(
    Effect.annotateLogs({ job: jobId, attempt, outcome, millis, ...code }),
    Effect.andThen(countAttempt("verification", outcome))
  )
}

/** The job that a body reports; `batchId` is null for a slip that was enqueued alone. */
export interface ReportedJob {
  readonly jobId: string
  readonly batchId: string | null
}

/**
 * The body of a callback as text (docs/spec/http.md, "Callback"). The worker builds it once, when the job ends at
 * `timestamp` (ISO 8601), and seals it in that event. So every attempt sends the same bytes, also after an upgrade.
 */
export const successBody = ({ batchId, jobId }: ReportedJob, verification: Verification, timestamp: string): string =>
  JSON.stringify({ jobId, batchId, status: "success", data: verifyData(verification), timestamp })

/** The body of a callback for a job without a slip. */
export const notFoundBody = (
  { batchId, jobId }: ReportedJob,
  { code, detail, issues, message }: JobError,
  timestamp: string
): string =>
  JSON.stringify({ jobId, batchId, status: "not_found", error: { code, message, detail, issues }, timestamp })
