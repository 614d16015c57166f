import { Cause, Clock, Effect, Exit, FiberSet, Latch, type Scope } from "effect"
import type { Claims } from "../../ports/claims.ts"
import type { ReadModels } from "../../ports/read-models.ts"
import type { OrderedSet } from "../../projections/engine/read-model.ts"
import { makeDueIndex } from "./due-scanner.ts"
import type { Gate, Pass } from "./limiter.ts"
import type { DueNow } from "./work-notifier.ts"
import type { Step } from "./process.ts"
import { makeSetAside } from "./backoff.ts"
import { underClaim } from "./under-claim.ts"
import { type Candidate, makeWaiting } from "./ready-queue.ts"

/** One process as its driver needs to know it. */
export interface Work<State, Next extends Step, R> {
  readonly process: DueNow["process"]
  readonly index: OrderedSet
  /** Reads a member of the index; the lane as far as it is known without the job's stream. */
  readonly read: (member: string) => Pick<Candidate, "jobId" | "lane">
  /** What happened so far. */
  readonly load: (jobId: string) => Effect.Effect<State, unknown, R>
  readonly resume: (state: State) => Next | undefined
  readonly laneOf: (state: State, step: Next) => string
  readonly gate: Gate
  /** Longer than a step takes, its outcome in the log included: it is cut off then. */
  readonly claimMillis: number
  /** Performs one step and appends its outcome. Failing, it has done nothing that counts. */
  readonly perform: (step: Next, state: State, pass: Pass) => Effect.Effect<void, unknown, R>
}

export interface DriverOptions {
  /** How long the driver may sleep while nothing is due: another process may put something into the index. */
  readonly idleMillis: number
  /** How long steps that are under way may take to end when the driver is stopped. */
  readonly drainMillis: number
}

/** Drives one process: every step that is due is done, by this process or another one. */
export interface Driver {
  /** Takes work at once that the index may not know yet, or that it was thought could wait. */
  readonly hand: (jobIds: ReadonlyArray<string>) => Effect.Effect<void>
  /** Steps under way here. */
  readonly inFlight: () => number
  /** Whether there is more to do than there is room for. */
  readonly hasWaiting: () => boolean
}

/**
 * Finds what is due, claims it, loads it, asks what the step is, performs this one step and gives the claim back.
 *
 * Whatever goes wrong with one job leaves the others alone: it is set aside, and found again through the index.
 */
export const makeDriver = Effect.fnUntraced(function* <State, Next extends Step, R>(
  work: Work<State, Next, R>,
  { drainMillis, idleMillis }: DriverOptions
): Effect.fn.Return<Driver, never, R | Claims | ReadModels | Scope.Scope> {
  const index = yield* makeDueIndex(work.index)
  const waiting = makeWaiting(room)
  const aside = makeSetAside()
  const fibers = yield* FiberSet.make<void, never>()
  const wake = yield* Latch.make()
  const underWay = new Set<string>()
  /** Handed over while it was under way: what is under way may have begun before what it was handed over for. */
  const again = new Set<string>()
  /** Candidates under way whose lane is not known yet; and those that have learnt it, and that it has no room. */
  let unplaced = 0
  const placed = new Map<string, Candidate>()
  let isIndexAway = false
  let lookAt = -Infinity

  /** Whoever leaves makes room for the next at once, and counts once however often he says so. */
  const enter = (lane: string) =>
    Effect.map(work.gate.enter(lane), (pass): Pass | undefined => {
      if (pass === undefined) return undefined
      let isInside = true
      const leave = Effect.suspend(() => {
        if (!isInside) return Effect.void
        isInside = false
        return Effect.andThen(pass.leave, Effect.sync(() => void wake.openUnsafe()))
      })
      return { report: pass.report, leave }
    })

  const attend = Effect.fnUntraced(function* (candidate: Candidate, pass: Pass | undefined) {
    const state = yield* work.load(candidate.jobId)
    const step = work.resume(state)
    if (step === undefined || step.dueAt > (yield* Clock.currentTimeMillis)) return
    if (pass !== undefined) return yield* work.perform(step, state, pass)

    const lane = work.laneOf(state, step)
    yield* Effect.acquireUseRelease(
      enter(lane),
      (entered) => {
        if (entered === undefined) return Effect.sync(() => void placed.set(candidate.jobId, { ...candidate, lane }))
        unplaced--
        return Effect.ensuring(work.perform(step, state, entered), Effect.sync(() => unplaced++))
      },
      (entered) => entered === undefined ? Effect.void : entered.leave
    )
  })

  const claimed = (candidate: Candidate, pass: Pass | undefined) =>
    underClaim(`${work.process}/${candidate.jobId}`, work.claimMillis, attend(candidate, pass))

  const settle = Effect.fnUntraced(function* (candidate: Candidate, exit: Exit.Exit<void, unknown>) {
    const { jobId } = candidate
    const now = yield* Clock.currentTimeMillis
    underWay.delete(jobId)
    const hasFailed = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
    if (hasFailed) {
      yield* Effect.logWarning("A step went wrong and is tried again", exit.cause).pipe(
        Effect.annotateLogs({ process: work.process, job: jobId })
      )
    }
    const elsewhere = placed.get(jobId)
    placed.delete(jobId)
    if (again.delete(jobId)) {
      aside.forget(jobId)
      waiting.offer({ ...candidate, lane: elsewhere?.lane ?? candidate.lane })
    } else if (elsewhere === undefined || !waiting.offer(elsewhere)) {
      aside.put(candidate, now, hasFailed ? brokenMillis : staleMillis)
    }
    // The next step of this job may be due before the driver meant to look.
    lookAt = Math.min(lookAt, now + busyMillis)
    wake.openUnsafe()
  })

  const begin = (candidate: Candidate, pass: Pass | undefined) => {
    underWay.add(candidate.jobId)
    if (pass === undefined) unplaced++
    const leave = pass === undefined ? Effect.sync(() => void unplaced--) : pass.leave
    return FiberSet.run(fibers)(
      Effect.exit(Effect.ensuring(claimed(candidate, pass), leave)).pipe(
        Effect.flatMap((exit) => settle(candidate, exit))
      )
    )
  }

  /** Lets one in from the lane; false when nobody can go in there now. */
  const beginOne = Effect.fnUntraced(function* (lane: string | undefined, now: number) {
    if (lane === undefined && unplaced >= mostUnplaced) return false
    const pass = lane === undefined ? undefined : yield* enter(lane)
    if (lane !== undefined && pass === undefined) {
      if (work.gate.isShut(lane, now)) waiting.empty(lane)
      return false
    }
    const candidate = waiting.take(lane)
    if (candidate !== undefined) yield* begin(candidate, pass)
    else if (pass !== undefined) yield* pass.leave
    return candidate !== undefined
  })

  /** Lane after lane, one from each, until there is no room anywhere. */
  const beginAll = Effect.fnUntraced(function* (now: number) {
    for (let lanes = waiting.lanes(); lanes.length > 0;) {
      const open = new Set<string | undefined>()
      for (const lane of lanes) if (yield* beginOne(lane, now)) open.add(lane)
      lanes = waiting.lanes().filter((lane) => open.has(lane))
    }
  })

  const show = (now: number) => ({ member, score }: { readonly member: string; readonly score: number }) => {
    const candidate = { ...work.read(member), score }
    const { jobId, lane } = candidate
    if (underWay.has(jobId) || aside.has(candidate, now)) return
    if (lane !== undefined && work.gate.isShut(lane, now)) return
    waiting.offer(candidate)
  }

  /** Gives when to look the next time. */
  const look = Effect.fnUntraced(function* (now: number) {
    const { isAnyDue, nextDueAt = Infinity } = yield* index.look(now, show(now))
    if (isIndexAway) yield* Effect.logInfo(`What is due can be read again: ${work.process}`)
    isIndexAway = false
    return Math.max(now + shortestMillis, Math.min(now + (isAnyDue ? busyMillis : idleMillis), nextDueAt))
  }, (look, now) =>
    Effect.catch(
      look,
      Effect.fnUntraced(function* (error) {
        if (!isIndexAway) yield* Effect.logWarning(`What is due can't be read at the moment: ${work.process}`, error)
        isIndexAway = true
        return now + awayMillis
      })
    ))

  const turn = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    wake.closeUnsafe()
    if (now >= lookAt) lookAt = yield* look(now)
    yield* beginAll(now)
    const rest = lookAt - (yield* Clock.currentTimeMillis)
    if (rest > 0) yield* Effect.timeoutOption(wake.await, rest)
    // Embedded engines work synchronously: all else in this process has its turn too.
    yield* Effect.yieldNow
  })

  yield* Effect.addFinalizer(() => Effect.timeoutOption(FiberSet.awaitEmpty(fibers), drainMillis))
  yield* turn.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.andThen(
        Effect.logError(`The driver of ${work.process} stumbled`, cause),
        Effect.sleep(awayMillis)
      )
    ),
    Effect.forever,
    Effect.forkScoped
  )

  return {
    hand: (jobIds) =>
      Effect.sync(() => {
        for (const jobId of jobIds) {
          aside.forget(jobId)
          if (underWay.has(jobId)) again.add(jobId)
          else waiting.offer({ jobId, lane: undefined, score: undefined })
        }
        wake.openUnsafe()
      }),
    inFlight: () => underWay.size,
    hasWaiting: () => waiting.size() > 0
  }
})

/** Candidates are some hundred bytes; what there is no room for is found through the index later. */
const room = { inLane: 256, inAll: 10_000 }
/** Jobs that are loaded to learn their lane: not held up by any lane, for they leave as soon as they know it. */
const mostUnplaced = 64

/** Between two looks while something is due that could not be begun, and between any two looks. */
const busyMillis = 200
const shortestMillis = 20
const awayMillis = 1_000

/** How long what the index says of a job may be thought old, or another process's; and how long one that fails waits. */
const staleMillis = 5_000
const brokenMillis = 60_000
