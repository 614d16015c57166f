import { Clock, Duration, Effect } from "effect"
import { type JobCommand, type VerificationEnqueued } from "../../domain/job.ts"
import { isoTime } from "../../domain/time.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { jobs } from "../../domain/events/aggregates.ts"
import type { Asked } from "../verification/ask-bank.ts"
import { describeFailure, failureMessages, NOT_ASKED } from "../verification/failures.ts"
import { type JobSource, openJobSource, sealJobResult } from "../sealing/job-sealing.ts"
import { openRemark } from "../sealing/slip-sealing.ts"
import { type AttemptFailed, SlipVerifier } from "../verification/verify-slip.ts"
import { type CommandContext, handleCommand } from "../events/handle-command.ts"
import { jobSets } from "../../projections/models/jobs.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { notFoundBody, successBody } from "./callback-body.ts"
import type { Work } from "../processes/driver.ts"
import { makeSharedGate } from "../processes/limiter.ts"
import { WorkNotifier } from "../processes/work-notifier.ts"
import { type LoadedJob, loadJob } from "./load-job.ts"
import { delayAfter, type RetrySchedule } from "../processes/retries.ts"
import { tracedStep } from "../processes/traced-step.ts"
import { verification, type VerifyStep } from "./verification-process.ts"
import { attempted } from "../processes/worker-metrics.ts"
import { writeDown } from "../processes/append-with-retry.ts"

/** An attempt that led to no result, as it goes into the log. */
interface Failure {
  readonly code: string
  readonly message: string
  readonly why: string
  readonly slipDigest: string | null
  /** Which bank was asked and what it said. */
  readonly asked: Asked | null
  /** How long to wait at least before the next one; undefined when there is none. */
  readonly retryAfter: Duration.Duration | undefined
}

/** Verifies the slips of jobs and writes down what came of each attempt. */
export const verifyJobs = ({ schedule }: { readonly schedule: RetrySchedule }) => {
  const failed = Effect.fnUntraced(function* (failure: Failure, enqueued: VerificationEnqueued, step: VerifyStep) {
    const { asked, message, retryAfter, ...told } = failure
    const now = yield* Clock.currentTimeMillis
    const about = {
      _tag: "FailAttempt",
      attempt: step.attempt,
      at: isoTime(now),
      ...told,
      ...(asked ?? NOT_ASKED)
    } as const
    const delay = retryAfter === undefined ? undefined : yield* delayAfter(schedule, step.retry, retryAfter)
    if (delay !== undefined) {
      return { ...about, nextAttemptAt: isoTime(now + Math.round(Duration.toMillis(delay))), result: null }
    }
    const body = notFoundBody(enqueued, { code: told.code, message }, about.at)
    return { ...about, nextAttemptAt: null, result: yield* sealJobResult(body, enqueued.jobId) }
  })

  /** What is to be written down of one attempt. Fails where none was made. */
  const attempt = Effect.fnUntraced(
    function* (step: VerifyStep, enqueued: VerificationEnqueued, correlationId: string) {
      const source = yield* openJobSource(enqueued.source)
      if (source === undefined) return yield* failed({ ...forgotten, ...unasked }, enqueued, step)
      if ("fault" in source) return yield* failed({ ...source.fault, ...unasked }, enqueued, step)
      const { accounts, branchId, expectedAmount, jobId, month, serviceId } = enqueued
      const verified = (yield* SlipVerifier).attempt({
        verificationId: jobId,
        serviceId,
        branchId,
        source: sourceOf(source),
        remark: yield* openRemark(enqueued.remark),
        expectedAmount: expectedAmount ?? undefined,
        accounts: questionOf(accounts ?? null),
        month,
        correlationId
      })
      return yield* verified.pipe(
        Effect.flatMap(Effect.fnUntraced(function* ({ charged, slipDigest, verification }) {
          const at = isoTime(yield* Clock.currentTimeMillis)
          const result = yield* sealJobResult(successBody(enqueued, verification, at), jobId)
          const isDuplicate = verification.duplicate !== null
          return { _tag: "Succeed", attempt: step.attempt, at, charged, isDuplicate, slipDigest, result } as const
        })),
        Effect.catchTag("AttemptFailed", (error) => failed(failureOf(error), enqueued, step))
      )
    }
  )

  const perform = Effect.fnUntraced(function* (step: VerifyStep, { correlationId, ...loaded }: LoadedJob) {
    const { enqueued } = loaded.state
    if (enqueued === null) return
    const { callbackUrl, jobId } = enqueued
    const begun = yield* Clock.currentTimeMillis
    const command: JobCommand = yield* attempt(step, enqueued, correlationId)
    const at = yield* Clock.currentTimeMillis
    const context: CommandContext = { commandId: (yield* Identifiers).random(), correlationId, actor, at }
    const { after, events } = yield* writeDown(
      handleCommand(jobs, streamOf.job(jobId), command, context, loaded),
      claimMillis - (at - begun)
    )
    if (events.length === 0) return
    yield* tell(step, command, at - begun)
    if (after.ended !== null && callbackUrl !== null) {
      yield* (yield* WorkNotifier)([{ process: "callback-delivery", jobId }])
    }
  })

  const work: Work<LoadedJob, VerifyStep, Effect.Services<ReturnType<typeof perform | typeof loadJob>>> = {
    process: "verification",
    index: jobSets.due,
    read: (jobId) => ({ jobId, lane: undefined }),
    load: loadJob,
    resume: ({ state }) => verification.resume(state),
    laneOf: ({ state }) => state.enqueued?.branchId ?? "",
    gate: makeSharedGate(atATime),
    claimMillis,
    perform: (step, state) => tracedStep("verification", step, state.origin, perform(step, state))
  }
  return work
}

const actor = { kind: "system", id: "worker" } as const

/** A picture is fetched for ten seconds at most, read for some, and a bank asked. */
const claimMillis = 30_000

/** Slow pictures of one branch leave room to the others. */
const atATime = { total: 64, perLane: 32 }

const forgotten = {
  code: "SLIP_NOT_FOUND",
  message: failureMessages.SLIP_NOT_FOUND,
  why: "what was handed over was deleted on request before it was verified"
} as const

const unasked = { slipDigest: null, asked: null, retryAfter: undefined }

const questionOf = (accounts: VerificationEnqueued["accounts"] | null) =>
  accounts === null || accounts === undefined
    ? undefined
    : { bankCode: accounts.bankCode ?? undefined, extraVerify: accounts.extraVerify ?? undefined }

const sourceOf = (source: Exclude<JobSource, { readonly fault: object }>) =>
  "url" in source ? { _tag: "ImageUrl", url: source.url } as const : { _tag: "Payload", text: source.payload } as const

const failureOf = (error: AttemptFailed): Failure => {
  const { retryAfterSeconds, ...described } = describeFailure(error.failure)
  const retryAfter = retryAfterSeconds === null ? undefined : Duration.seconds(retryAfterSeconds)
  return { ...described, slipDigest: error.slipDigest, retryAfter }
}

const outcomeOf = (command: JobCommand): "success" | "retry" | "not_found" => {
  if (command._tag !== "FailAttempt") return "success"
  return command.nextAttemptAt === null ? "not_found" : "retry"
}

const tell = ({ attempt, jobId }: VerifyStep, command: JobCommand, millis: number) => {
  const outcome = outcomeOf(command)
  const code = command._tag === "FailAttempt" ? { code: command.code } : {}
  return Effect.logInfo(`Job attempt: ${outcome}`).pipe(
    Effect.annotateLogs({ job: jobId, attempt, outcome, millis, ...code }),
    Effect.andThen(attempted("verification", outcome))
  )
}
