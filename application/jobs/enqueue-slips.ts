import { Clock, Context, Effect, Exit, Layer, Schedule } from "effect"
import { handleCommand, load, type Loaded, type RequestIds } from "../events/handle-command.ts"
import { jobSources, type PicturesUnusable } from "./job-source.ts"
import { WorkNotifier } from "../processes/work-notifier.ts"
import type { Caller } from "../provisioning/callers.ts"
import { type Charge, chargeAt } from "../quota/charge.ts"
import { type BeforeAppend, holdQuotaUnits, QuotaExceeded } from "../quota/hold-quota-units.ts"
import { type JobSource, remarkFields, sealedForJob, sealJobSource, sealReceivers } from "../sealing/sealed-data.ts"
import { type JudgingConditions, judgingConditions, type RequestedConditions } from "../verification/conditions.ts"
import type { ReaderUnavailable, SlipKind, SlipSource } from "../verification/slip-source.ts"
import { jobs, streamOf } from "../../domain/events/aggregates.ts"
import { batchJobName } from "../../domain/ids.ts"
import type { JobState } from "../../domain/job.ts"
import type { Satang } from "../../domain/money.ts"
import type { AccountQuestion } from "../../domain/slip/matching.ts"
import { isoTime } from "../../domain/time.ts"
import type { Egress } from "../../ports/egress.ts"
import type { EventStore, EventStoreError, WrongExpectedRevision } from "../../ports/event-store.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { Quota, type QuotaError } from "../../ports/quota.ts"
import type { SlipReader } from "../../ports/slip-reader.ts"
import { UnchargedLimiter, type UnchargedLimitExceeded } from "../../ports/uncharged-limiter.ts"
import type { Vault } from "../../ports/vault.ts"

/** A slip to verify later. */
export interface SlipToEnqueue {
  /** `bank` when absent. The source of a TrueMoney slip is the URL of its picture. */
  readonly kind?: SlipKind
  readonly source: SlipSource
  readonly remark: string | undefined
  readonly expectedAmount: Satang | undefined
  /** Which of the branch's bank accounts to compare the receiver with; undefined compares none. */
  readonly accounts: AccountQuestion | undefined
  readonly conditions?: RequestedConditions | undefined
  /** Undefined uses the branch's webhook URL, if it has one. Null sends no callback. */
  readonly callbackUrl: string | null | undefined
}

interface EnqueueRequest extends Omit<RequestIds, "actor"> {
  readonly caller: Caller
}

/**
 * Why slips were not enqueued. After `EventStoreError`, `WrongExpectedRevision` or `QuotaError` a part of a batch may be
 * in the log; repeating the request enqueues the remaining slips.
 */
export type EnqueueError =
  | PicturesUnusable
  | ReaderUnavailable
  | QuotaExceeded
  | UnchargedLimitExceeded
  | QuotaError
  | EventStoreError
  | WrongExpectedRevision

/** Enqueues slips. An enqueued slip is in the log as a job, and holds one quota unit until the job ends. */
export class SlipIntake extends Context.Service<SlipIntake, {
  /** Enqueues one slip as the job `jobId`. Repeating it changes nothing. */
  readonly enqueue: (
    request: EnqueueRequest & { readonly jobId: string; readonly slip: SlipToEnqueue }
  ) => Effect.Effect<void, EnqueueError>
  /**
   * Enqueues 1 to `MAX_BATCH_SLIPS` slips, all or none, and returns the ids of their jobs in the same order. Repeating
   * it changes nothing.
   */
  readonly enqueueBatch: (
    request: EnqueueRequest & { readonly batchId: string; readonly slips: ReadonlyArray<SlipToEnqueue> }
  ) => Effect.Effect<ReadonlyArray<string>, EnqueueError>
}>()("sliptrail/application/SlipIntake") {
  static readonly layer = Layer.suspend(() => Layer.effect(SlipIntake, make))
}

/** A job to append; the batch fields are null for a slip that was enqueued alone. */
interface NewJob {
  readonly jobId: string
  readonly batchId: string | null
  readonly batchIndex: number | null
  readonly batchSize: number | null
  readonly slip: SlipToEnqueue
}

const CONCURRENT_APPENDS = 25

/** Another request may hold a unit only briefly: a verification that is not charged releases it. */
const retryWhileUnitsAreHeld = Schedule.exponential("10 millis").pipe(Schedule.jittered, Schedule.upTo({ times: 4 }))

const make = Effect.gen(function* () {
  const ports = yield* Effect.context<
    EventStore | Quota | UnchargedLimiter | SlipReader | Egress | Vault | Identifiers
  >()
  const serviceScope = yield* Effect.scope

  const enqueueAll = Effect.fnUntraced(
    function* ({ caller, clientRequestId, correlationId }: EnqueueRequest, newJobs: ReadonlyArray<NewJob>) {
      const { branch, branchId } = caller
      yield* (yield* UnchargedLimiter).checkDebt(branchId)
      const found = yield* Effect.forEach(newJobs, loadNewJob, { concurrency: CONCURRENT_APPENDS })
      // A repeated request finds its jobs in the log. They hold their units already, of the month of their acceptance.
      const missing = found.filter(({ loaded }) => loaded.state.enqueued === null)
      const sources = yield* jobSources(
        missing.map(({ batchIndex, slip }) => ({ ...slip, index: batchIndex ?? 0 })),
        branchId
      )
      const at = yield* Clock.currentTimeMillis
      const { limits, month } = chargeAt(at, branchId, branch)
      if (missing.length > 1) yield* checkCapacity(missing.length, limits)

      const holdsUnitNow = (state: JobState) => holdsUnit(state) && state.enqueued?.month === month
      const heldUnits = missing.length === 0 ? undefined : yield* holdQuotaUnits({
        reservation: { limits, reservationIds: missing.map(({ jobId }) => jobId) },
        wasCharged: (jobId) => Effect.map(jobState(jobId), holdsUnitNow),
        scope: yield* Effect.scope,
        serviceScope
      }).pipe(
        Effect.retry({
          schedule: retryWhileUnitsAreHeld,
          while: ({ _tag }) => missing.length > 1 && _tag === "QuotaExceeded"
        })
      )
      const append = (job: FoundJob, index: number) => {
        const source = sources[index]
        return source === undefined || heldUnits === undefined
          ? Effect.die("every job has a source")
          : heldUnits.charge(
            job.jobId,
            (beforeAppend) =>
              appendJob(job, source, caller, { correlationId, clientRequestId, at, month }, beforeAppend),
            ({ after }) => holdsUnitNow(after)
          )
      }
      // Once a part of a batch is in the log, the other jobs must follow, even when the caller disconnects.
      const exits = yield* Effect.uninterruptible(
        Effect.forEach(missing, (job, index) => Effect.exit(append(job, index)), { concurrency: CONCURRENT_APPENDS })
      )
      const notify = yield* WorkNotifier
      yield* notify(missing.flatMap(({ jobId }, index) => {
        const exit = exits[index]
        return exit !== undefined && Exit.isSuccess(exit)
          ? [{ process: "verification" as const, lane: branchId, jobId }]
          : []
      }))
      yield* Effect.forEach(exits, (exit) => exit, { discard: true })
    },
    Effect.scoped
  )

  return SlipIntake.of({
    enqueue: ({ jobId, slip, ...request }) =>
      Effect.provide(
        enqueueAll(request, [{ jobId, batchId: null, batchIndex: null, batchSize: null, slip }]),
        ports
      ),
    enqueueBatch: Effect.fnUntraced(function* ({ batchId, slips, ...request }) {
      const { derived } = Context.get(ports, Identifiers)
      const newJobs = slips.map((slip, index): NewJob => ({
        jobId: derived(batchJobName(batchId, index)),
        batchId,
        batchIndex: index,
        batchSize: slips.length,
        slip
      }))
      yield* Effect.provide(enqueueAll(request, newJobs), ports)
      return newJobs.map(({ jobId }) => jobId)
    })
  })
})

/** A job to append, with what the log holds of it. */
interface FoundJob extends NewJob {
  readonly loaded: Loaded<JobState>
}

const loadNewJob = (job: NewJob) =>
  Effect.map(load(jobs, streamOf.job(job.jobId)), (loaded): FoundJob => ({ ...job, loaded }))

/** Refuses a batch that exceeds a limit as a whole, before it reserves units that other requests could use. */
const checkCapacity = Effect.fnUntraced(function* (units: number, limits: Charge["limits"]) {
  if (limits.length === 0) return
  const used = yield* (yield* Quota).usage(limits.map(({ set }) => set))
  if (limits.some(({ limit }, index) => (used[index] ?? 0) + units > limit)) return yield* new QuotaExceeded()
})

/** Appends a job. Appends nothing when the job is already in the log. */
const appendJob = Effect.fnUntraced(function* (
  { batchId, batchIndex, batchSize, jobId, loaded, slip }: FoundJob,
  source: JobSource,
  { actor, branch, branchId, serviceId }: Caller,
  { at, clientRequestId, correlationId, month }: Omit<RequestIds, "actor"> & {
    readonly at: number
    readonly month: string
  },
  beforeAppend: BeforeAppend | undefined
) {
  const { accounts, judging } = judgingConditions(branch.policy, slip)
  return yield* handleCommand(
    jobs,
    streamOf.job(jobId),
    {
      _tag: "Enqueue",
      jobId,
      batchId,
      batchIndex,
      batchSize,
      serviceId,
      branchId,
      at: isoTime(at),
      month,
      charged: true,
      source: yield* sealJobSource(source, jobId),
      ...(yield* remarkFields({ branchId, remark: slip.remark }, sealedForJob(jobId))),
      expectedAmount: slip.expectedAmount ?? null,
      accounts: accounts === undefined ? null : storedQuestion(accounts),
      ...(judging === undefined ? {} : yield* storedConditions(judging, jobId)),
      callbackUrl: slip.callbackUrl === undefined ? branch.webhookUrl : slip.callbackUrl
    },
    { commandId: jobId, correlationId, clientRequestId, actor, at },
    loaded,
    beforeAppend
  ).pipe(
    Effect.catchTag(["JobUnknown", "AttemptSkipped"], Effect.die)
  )
})

const storedQuestion = ({ bankCode, extraVerify }: AccountQuestion) => ({
  bankCode: bankCode ?? null,
  extraVerify: extraVerify ?? null
})

const storedConditions = Effect.fnUntraced(function* (
  { conditions, policyVersion, receivers }: JudgingConditions,
  jobId: string
) {
  const sealed = yield* sealReceivers(receivers, jobId)
  return {
    conditions,
    ...(policyVersion === null ? {} : { policyVersion }),
    ...(sealed === undefined ? {} : { receivers: sealed })
  }
})

const jobState = (jobId: string) => Effect.map(load(jobs, streamOf.job(jobId)), ({ state }) => state)

/** Whether a job holds its quota unit, or was charged for it. */
const holdsUnit = ({ ended, enqueued }: JobState): boolean =>
  ended === null ? enqueued !== null : ended._tag === "JobSucceeded" && ended.charged
