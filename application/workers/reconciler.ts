import { Clock, Effect } from "effect"
import type { Member, ReadModels, ReadModelsError } from "../../ports/read-models.ts"
import { parseLaneMember } from "../../projections/engine/lane-member.ts"
import type { OrderedSet } from "../../projections/engine/read-model.ts"
import { callbackSets } from "../../projections/models/callbacks.ts"
import { jobRows, jobSets } from "../../projections/models/jobs.ts"
import { countOverdue } from "../processes/metrics.ts"
import type { DueWork, ProcessName } from "../processes/work-notifier.ts"

export interface ReconcilerOptions {
  /** A step that is overdue by more than this counts as lost. Must exceed the time for which a worker may claim it. */
  readonly overdueMillis: { readonly [Process in ProcessName]: number }
  /** A step that is due later than this is due at once: see `ProcessDefinition`. */
  readonly maxWaitMillis: { readonly [Process in ProcessName]: number }
  readonly hasWaitingJobs: () => boolean
  readonly isLaneBusy: (lane: string, now: number) => boolean
  readonly notify: (work: ReadonlyArray<DueWork>) => Effect.Effect<void>
}

/**
 * Every 30 seconds, finds jobs and callbacks whose next step is long overdue, and every 5 seconds those whose next step is
 * due later than any wait of their process ends. Notifies the worker of them. It reads only the read models, so it also
 * finds work that a driver lost.
 */
export const reconcile = (options: ReconcilerOptions) => {
  const { hasWaitingJobs, isLaneBusy, maxWaitMillis, notify, overdueMillis } = options

  const notifyOverdue = Effect.fnUntraced(function* (process: ProcessName, overdue: ReadonlyArray<DueWork>) {
    if (overdue.length === 0) return
    yield* Effect.logWarning(`${overdue.length} steps are overdue and are started again`).pipe(
      Effect.annotateLogs({ process, jobs: overdue.slice(0, MAX_LOGGED_JOBS).map(({ jobId }) => jobId).join(" ") })
    )
    yield* countOverdue(process, overdue.length)
    yield* notify(overdue)
  })

  const overdueJobs = makeScan(
    jobSets.open,
    Effect.fnUntraced(function* ({ member: jobId }, now) {
      const row = yield* jobRows.get(jobId)
      const isOverdue = row !== undefined && row.nextAttemptAt !== null
        && Date.parse(row.nextAttemptAt) < now - overdueMillis.verification
      return isOverdue ? { process: "verification", lane: row.branchId, jobId } satisfies DueWork : undefined
    })
  )

  const overdueCallbacks = makeScan(callbackSets.due, ({ member }, now) =>
    Effect.sync(() => {
      const { jobId, lane } = parseLaneMember(member)
      return isLaneBusy(lane, now) ? undefined : { process: "callback-delivery", lane, jobId } satisfies DueWork
    }))

  const notifyBeyond = Effect.fnUntraced(function* (process: ProcessName, dueIndex: OrderedSet, now: number) {
    const found = yield* dueIndex.members({ from: now + maxWaitMillis[process] + 1, limit: PAGE_SIZE })
    if (found.length === 0) return
    yield* Effect.logWarning(`${found.length} steps are due later than any step can be, and are started now`).pipe(
      Effect.annotateLogs({ process })
    )
    yield* notify(found.map(({ member }) => ({ process, ...parseLaneMember(member) })))
  })

  const sweepBeyond = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* notifyBeyond("verification", jobSets.due, now)
    yield* notifyBeyond("callback-delivery", callbackSets.due, now)
  }).pipe(ignoreUnavailable)

  const sweep = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    // While jobs wait for a slot, an overdue job may be waiting too: it is not lost.
    if (!hasWaitingJobs()) {
      yield* notifyOverdue("verification", yield* overdueJobs(now, now - overdueMillis.verification))
    }
    yield* notifyOverdue("callback-delivery", yield* overdueCallbacks(now, now - overdueMillis["callback-delivery"]))
  }).pipe(ignoreUnavailable)
  return Effect.all([
    Effect.forever(Effect.andThen(sweepBeyond, Effect.sleep(BEYOND_INTERVAL_MILLIS))),
    Effect.forever(Effect.andThen(Effect.sleep(INTERVAL_MILLIS), sweep))
  ], { concurrency: 2, discard: true })
}

const ignoreUnavailable = <A, E, R>(sweep: Effect.Effect<A, E | ReadModelsError, R>) =>
  Effect.catchTag(
    sweep,
    "ReadModelsError",
    (error) => Effect.logDebug("The reconciler could not read its models", error)
  )

/** Two reads of an empty range: cheap, and soon after a start the read models are complete. */
const BEYOND_INTERVAL_MILLIS = 5_000
const INTERVAL_MILLIS = 30_000
const MAX_LOGGED_JOBS = 5
const PAGE_SIZE = 256
const PAGES_PER_SWEEP = 4

/** Checks the members of a set up to a score, a bounded number at a time, and continues from there the next time. */
const makeScan = <R>(
  set: OrderedSet,
  check: (member: Member, now: number) => Effect.Effect<DueWork | undefined, ReadModelsError, R>
) => {
  let scannedTo: Member | undefined
  return Effect.fnUntraced(function* (now: number, to: number): Effect.fn.Return<
    ReadonlyArray<DueWork>,
    ReadModelsError,
    R | ReadModels
  > {
    const overdue: Array<DueWork> = []
    for (let page = 0; page < PAGES_PER_SWEEP; page++) {
      const members = yield* set.members({
        to,
        limit: PAGE_SIZE,
        ...(scannedTo === undefined ? {} : { after: scannedTo })
      })
      for (const member of members) {
        const work = yield* check(member, now)
        if (work !== undefined) overdue.push(work)
      }
      scannedTo = members.length < PAGE_SIZE ? undefined : members.at(-1)
      if (scannedTo === undefined) break
    }
    return overdue
  })
}
