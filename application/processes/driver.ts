import { Cause, Clock, Effect, Exit, FiberSet, Latch, type Scope } from "effect"
import type { Claims } from "../../ports/claims.ts"
import type { Member, ReadModels } from "../../ports/read-models.ts"
import { waitLeft } from "../../domain/waits.ts"
import type { OrderedSet } from "../../projections/engine/read-model.ts"
import { parseLaneMember } from "../../projections/engine/lane-member.ts"
import { makeDueScanner } from "./due-scanner.ts"
import type { Limiter, Permit } from "./limiter.ts"
import { type Step, underClaim } from "./step.ts"
import type { DueWork, ProcessName } from "./work-notifier.ts"
import { type Backoff, type Candidate, makeBackoff, makeReadyQueue, type ReadyQueue } from "./work-queue.ts"

/** The process that a driver runs. */
export interface ProcessDefinition<State, Next extends Step, R> {
  readonly name: ProcessName
  /** Its members are `laneMember`, scored by due time in milliseconds. */
  readonly dueIndex: OrderedSet
  readonly load: (jobId: string) => Effect.Effect<State, unknown, R>
  readonly resume: (state: State) => Next | undefined
  readonly limiter: Limiter
  /** The lane of a candidate when it is not that of the due index. It may change while the candidate's step runs. */
  readonly laneOf?: (candidate: Candidate) => string
  /** A step that takes longer is interrupted. */
  readonly claimMillis: number
  /** The longest time from an outcome to the next step. A step beyond it is due at once: a clock was wrong, or a log is old. */
  readonly maxWaitMillis: number
  /** Performs one step and appends its outcome. When it fails, nothing was appended. */
  readonly perform: (step: Next, state: State, permit: Permit) => Effect.Effect<void, unknown, R>
}

export interface DriverOptions {
  /** The longest pause between two scans of the due index: another process may add to it. */
  readonly idleMillis: number
  /** How long a stopping driver waits for steps in flight. */
  readonly drainMillis: number
}

/** Performs the due steps of one process, together with the drivers of other processes. */
export interface Driver {
  /** Queues work that the due index may not contain yet. */
  readonly notify: (work: ReadonlyArray<Pick<DueWork, "jobId" | "lane">>) => Effect.Effect<void>
  readonly inFlight: () => number
  /** Whether work waits for a free slot. */
  readonly hasWaiting: () => boolean
}

interface DriverState {
  readonly ready: ReadyQueue
  readonly backoff: Backoff
  readonly inFlight: Set<string>
  /** Jobs that were notified while their step was in flight: the step may have read an older state. */
  readonly notifiedInFlight: Set<string>
  /** When to scan the due index next. */
  nextScanAt: number
  isIndexUnavailable: boolean
}

/**
 * Finds due work, waits for a permit of its lane, claims it, loads it, performs one step and releases the claim. A step
 * that fails does not affect other jobs. After a backoff the due scanner finds its job again.
 */
export const makeDriver = Effect.fnUntraced(function* <State, Next extends Step, R>(
  process: ProcessDefinition<State, Next, R>,
  { drainMillis, idleMillis }: DriverOptions
): Effect.fn.Return<Driver, never, R | Claims | ReadModels | Scope.Scope> {
  const scanner = yield* makeDueScanner(process.dueIndex)
  const fibers = yield* FiberSet.make<void, never>()
  const wake = yield* Latch.make()
  const state: DriverState = {
    ready: makeReadyQueue(QUEUE_LIMITS),
    backoff: makeBackoff(),
    inFlight: new Set(),
    notifiedInFlight: new Set(),
    nextScanAt: -Infinity,
    isIndexUnavailable: false
  }

  const inLane = (candidate: Candidate): Candidate =>
    process.laneOf === undefined ? candidate : { ...candidate, lane: process.laneOf(candidate) }

  const performNext = Effect.fnUntraced(function* (jobId: string, permit: Permit) {
    const loaded = yield* process.load(jobId)
    const step = process.resume(loaded)
    if (step !== undefined && waitLeft(step.dueAt, yield* Clock.currentTimeMillis, process.maxWaitMillis) === 0) {
      yield* process.perform(step, loaded, permit)
    }
  })

  const settle = Effect.fnUntraced(function* (candidate: Candidate, exit: Exit.Exit<void, unknown>) {
    const { jobId } = candidate
    const now = yield* Clock.currentTimeMillis
    const hasFailed = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
    if (hasFailed) {
      yield* Effect.logWarning("A step failed and will be retried", exit.cause).pipe(
        Effect.annotateLogs({ process: process.name, job: jobId })
      )
    }
    state.inFlight.delete(jobId)
    const next = inLane(candidate)
    if (state.notifiedInFlight.delete(jobId) || next.lane !== candidate.lane) {
      state.backoff.remove(jobId)
      state.ready.offer(next)
    } else {
      state.backoff.add(candidate, now, hasFailed ? FAILED_BACKOFF_MILLIS : STALE_BACKOFF_MILLIS)
    }
    // The next step of this job may be due before the next scan.
    state.nextScanAt = Math.min(state.nextScanAt, now + BUSY_SCAN_MILLIS)
    wake.openUnsafe()
  })

  const start = (candidate: Candidate, permit: Permit) => {
    const { jobId } = candidate
    state.inFlight.add(jobId)
    const step = underClaim(`${process.name}/${jobId}`, process.claimMillis, performNext(jobId, permit))
    return FiberSet.run(fibers)(
      Effect.flatMap(Effect.exit(Effect.ensuring(step, permit.release)), (exit) => settle(candidate, exit))
    )
  }

  /** Starts one candidate of the lane if it has a free slot. */
  const startOne = Effect.fnUntraced(function* (lane: string, now: number) {
    const permit = yield* process.limiter.acquire(lane)
    if (permit === undefined) {
      if (process.limiter.isPaused(lane, now)) state.ready.clearLane(lane)
      return false
    }
    const candidate = state.ready.take(lane)
    yield* candidate === undefined ? permit.release : start(candidate, permit)
    return candidate !== undefined
  })

  /** Starts one candidate of each lane in turn, until no lane has a free slot. */
  const startAll = Effect.fnUntraced(function* (now: number) {
    for (let lanes = state.ready.lanes(); lanes.length > 0;) {
      const open = new Set<string>()
      for (const lane of lanes) if (yield* startOne(lane, now)) open.add(lane)
      lanes = state.ready.lanes().filter((lane) => open.has(lane))
    }
  })

  const enqueue = (now: number) => ({ member, score }: Member) => {
    const candidate = inLane({ ...parseLaneMember(member), score })
    if (state.inFlight.has(candidate.jobId) || state.backoff.has(candidate, now)) return
    if (!process.limiter.isPaused(candidate.lane, now)) state.ready.offer(candidate)
  }

  /** Returns the time of the next scan. */
  const scan = Effect.fnUntraced(function* (now: number) {
    const { isAnyDue, nextDueAt = Infinity } = yield* scanner.scan(now, enqueue(now))
    if (state.isIndexUnavailable) yield* Effect.logInfo(`The due index is available again: ${process.name}`)
    state.isIndexUnavailable = false
    return Math.max(now + MIN_SCAN_MILLIS, Math.min(now + (isAnyDue ? BUSY_SCAN_MILLIS : idleMillis), nextDueAt))
  }, (scan, now) =>
    Effect.catch(
      scan,
      Effect.fnUntraced(function* (error) {
        // At a start and during a rebuild the read model is incomplete. Readiness and lag report it.
        if (error.reason === "behind") return now + BUSY_SCAN_MILLIS
        if (!state.isIndexUnavailable) {
          yield* Effect.logWarning(`The due index is unavailable and is read again: ${process.name}`, error)
        }
        state.isIndexUnavailable = true
        return now + UNAVAILABLE_SCAN_MILLIS
      })
    ))

  const untilScan = (now: number) => waitLeft(state.nextScanAt, now, Math.max(idleMillis, UNAVAILABLE_SCAN_MILLIS))

  const runOnce = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    wake.closeUnsafe()
    if (untilScan(now) === 0) state.nextScanAt = yield* scan(now)
    yield* startAll(now)
    const pause = untilScan(yield* Clock.currentTimeMillis)
    if (pause > 0) yield* Effect.timeoutOption(wake.await, pause)
    // Embedded engines work synchronously: this lets other work of the process run.
    yield* Effect.yieldNow
  })

  yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(fibers), drainMillis))
  yield* runOnce.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.andThen(
        Effect.logError(`The driver of ${process.name} failed and continues`, cause),
        Effect.sleep(UNAVAILABLE_SCAN_MILLIS)
      )
    ),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    notify: (work) =>
      Effect.sync(() => {
        for (const { jobId, lane } of work) {
          state.backoff.remove(jobId)
          if (state.inFlight.has(jobId)) state.notifiedInFlight.add(jobId)
          else state.ready.offer(inLane({ jobId, lane, score: undefined }))
        }
        wake.openUnsafe()
      }),
    inFlight: () => state.inFlight.size,
    hasWaiting: () => state.ready.size() > 0
  }
})

/** A candidate takes some hundred bytes. The due scanner finds candidates again that did not fit. */
const QUEUE_LIMITS = { perLane: 256, total: 10_000 }

/** The pause between two scans: while due work waits for a slot, the shortest, and while the index is unavailable. */
const BUSY_SCAN_MILLIS = 200
const MIN_SCAN_MILLIS = 20
const UNAVAILABLE_SCAN_MILLIS = 1_000

/** The longest backoff: when the index may be stale or another worker holds the claim, and after a failed step. */
const STALE_BACKOFF_MILLIS = 5_000
const FAILED_BACKOFF_MILLIS = 60_000
