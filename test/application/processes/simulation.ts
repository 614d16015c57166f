import { assert } from "@effect/vitest"
import { Duration, Effect, Result, Schedule } from "effect"
import { type Delivery, deliveryProcess, type SendStep } from "../../../application/callbacks/delivery-process.ts"
import { delayAfter, retrySchedule } from "../../../application/processes/retry-schedule.ts"
import { verificationProcess } from "../../../application/jobs/verification-process.ts"
import type { Step } from "../../../application/processes/step.ts"
import {
  type AttemptOutcome,
  callback,
  type CallbackCommand,
  type CallbackEvent,
  isEnded,
  isUnderWay
} from "../../../domain/callback.ts"
import { fold } from "../../../domain/decider.ts"
import { job, type JobCommand, type JobEvent } from "../../../domain/job.ts"
import { isoTime } from "../../../domain/time.ts"
import { enqueueCommand } from "../enqueue-command.ts"

export const delays = {
  verification: ["30 seconds", "1 minute", "2 minutes"],
  callback: ["5 seconds", "30 seconds"]
} as const

const schedules = {
  verification: retrySchedule(delays.verification),
  callback: retrySchedule(delays.callback).pipe(Schedule.jittered)
}

type Schedules = typeof schedules
type Perform = Extract<Move, { readonly _tag: "Perform" }>

/**
 * One move of a simulation. `Perform` is a step of a driver with its outcome and the fate of that outcome. `lost`: the
 * process dies before it records the outcome. `late`: the process is paused, and records it at the next `Wake`.
 * `double`: two processes perform the step at once.
 */
export type Move =
  | {
    readonly _tag: "Perform"
    readonly outcome: "good" | "retry" | "bad"
    readonly fate: "recorded" | "lost" | "late" | "double"
  }
  | { readonly _tag: "Wake" | "Redeliver" }

const sealed = { k: "master", n: "bm9uY2U=", c: "c2VhbGVk" }

/** A job and its callback as two logs, on which drivers perform moves. */
export const makeSimulation = (callbackUrl: string | null) => {
  const jobLog: Array<JobEvent> = []
  const callbackLog: Array<CallbackEvent> = []
  const delayed: Array<() => void> = []
  let now = Date.parse("2026-11-21T08:45:00.000Z")
  let unrecorded = 0
  let redeliveries = 0

  const delivery = (): Delivery => ({ job: fold(job, jobLog), callback: fold(callback, callbackLog) })

  const onJob = (command: JobCommand): void => {
    jobLog.push(...Result.getOrThrow(job.decide(command, fold(job, jobLog))))
  }
  const onCallback = (command: CallbackCommand): ReadonlyArray<CallbackEvent> => {
    const events = Result.getOrThrow(callback.decide(command, fold(callback, callbackLog)))
    callbackLog.push(...events)
    return events
  }

  const retryAt = (schedule: keyof Schedules, { retry }: Step | SendStep) =>
    Effect.map(
      delayAfter(schedules[schedule], retry),
      (delay) => delay === undefined ? null : isoTime(now + Duration.toMillis(delay))
    )

  /** Performs an attempt and returns the function that records its outcome. */
  const verified = Effect.fnUntraced(function* (step: Step, outcome: Perform["outcome"]) {
    const { attempt } = step
    const at = isoTime(now)
    if (outcome === "good") {
      const verdict = { charged: true, isDuplicate: false, slipDigest: "d1", result: sealed }
      return (): void => onJob({ _tag: "Succeed", attempt, at, ...verdict })
    }
    const nextAttemptAt = outcome === "retry" ? yield* retryAt("verification", step) : null
    const why = { code: "SLIP_PENDING", why: "", slipDigest: null, gateway: null, gatewayMillis: null }
    const gatewayFields = { upstream: null, askedBefore: [] }
    const next = nextAttemptAt === null ? { nextAttemptAt, result: sealed } : { nextAttemptAt, result: null }
    return (): void => onJob({ _tag: "FailAttempt", attempt, at, ...why, ...gatewayFields, ...next })
  })

  const sent = Effect.fnUntraced(function* (step: SendStep, outcome: Perform["outcome"]) {
    const { attempt } = step
    const at = isoTime(now)
    const tookMillis = 40
    const record = (outcome: AttemptOutcome) => (): void =>
      void onCallback({ _tag: "RecordOutcome", attempt, at, outcome })
    if (outcome === "good") return record({ _tag: "Delivered", status: 200, tookMillis })
    if (outcome === "bad") return record({ _tag: "Rejected", status: 404, tookMillis })
    return record({ _tag: "Failed", status: 503, reason: "", tookMillis, retryAt: yield* retryAt("callback", step) })
  })

  const settle = (fate: Perform["fate"], record: () => void): void => {
    if (fate === "lost" || fate === "late") unrecorded += 1
    if (fate === "late") delayed.push(record)
    if (fate === "recorded" || fate === "double") record()
    if (fate === "double") record()
  }

  const perform = Effect.fnUntraced(function* ({ fate, outcome }: Perform) {
    const state = delivery()
    const verify = verificationProcess.resume(state.job)
    if (verify !== undefined) {
      assert.isFalse(verificationProcess.isTerminal(state.job))
      now = Math.max(now, verify.dueAt)
      settle(fate, yield* verified(verify, outcome))
      // Another process reached another outcome: the first appended outcome counts.
      if (fate === "double") (yield* verified(verify, "bad"))()
      return true
    }
    const send = deliveryProcess.resume(state)
    if (send === undefined) return false
    assert.isFalse(deliveryProcess.isTerminal(state))
    now = Math.max(now, send.dueAt)
    const { attempt, branchId, jobId, url } = send
    const command = {
      _tag: "SendCallback",
      jobId,
      branchId,
      url,
      bodyDigest: "e3b0",
      attempt,
      at: isoTime(now)
    } as const
    assert.isNotEmpty(onCallback(command))
    if (fate === "double") assert.isEmpty(onCallback(command), "two processes send one attempt")
    settle(fate, yield* sent(send, outcome))
    return true
  })

  onJob(enqueueCommand({
    jobId: "j-1",
    serviceId: "s-1",
    branchId: "silom",
    at: isoTime(now),
    source: sealed,
    callbackUrl
  }))

  return {
    jobLog,
    callbackLog,
    delivery,
    /** The number of outcomes that were not recorded, or recorded late. */
    unrecorded: () => unrecorded,
    /** The number of redeliveries that were requested and accepted. */
    redeliveries: () => redeliveries,
    move: Effect.fnUntraced(function* (move: Move) {
      if (move._tag === "Perform") return yield* perform(move)
      if (move._tag === "Wake") delayed.shift()?.()
      else if (delivery().callback.scheduled !== null) {
        redeliveries += onCallback({ _tag: "RequestRedelivery", at: isoTime(now) }).length
      }
      return true
    }),
    /** The next steps of both processes, and whether they have ended. */
    outlook: () => {
      const state = delivery()
      return {
        react: [verificationProcess.react(state.job), deliveryProcess.react(state)],
        resume: [verificationProcess.resume(state.job), deliveryProcess.resume(state)],
        isOver: verificationProcess.isTerminal(state.job) && deliveryProcess.isTerminal(state),
        isUnderWay: isUnderWay(state.callback),
        isEnded: isEnded(state.callback)
      }
    }
  }
}
