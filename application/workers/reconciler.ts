import { Clock, Effect } from "effect"
import type { OrderedSet } from "../../projections/engine/read-model.ts"
import { callbackSets, parseHostMember } from "../../projections/models/callbacks.ts"
import { jobRows, jobSets } from "../../projections/models/jobs.ts"
import type { Member, ReadModelsError } from "../../ports/read-models.ts"
import type { DueNow } from "../processes/work-notifier.ts"
import { woken } from "../processes/worker-metrics.ts"

export interface ReconcilerOptions {
  /** A step that is overdue by more than this was forgotten: twice as long as a process may claim it. */
  readonly overdueMillis: { readonly [Process in DueNow["process"]]: number }
  /** Whether jobs wait for their turn, of which there are many. */
  readonly areJobsWaiting: () => boolean
  /** Whether callbacks to a host wait for it. */
  readonly isHostTaken: (host: string, now: number) => boolean
  readonly hand: (work: ReadonlyArray<DueNow>) => Effect.Effect<void>
}

/**
 * Looks, every 30 seconds and for ever, for what was begun and has not ended although its next step should have been
 * done long ago, and hands it over anew. It knows nothing of what drivers think, so that it finds what they lost.
 */
export const reconcile = (options: ReconcilerOptions) => {
  const { areJobsWaiting, hand, isHostTaken, overdueMillis } = options

  const wake = Effect.fnUntraced(function* (process: DueNow["process"], jobIds: ReadonlyArray<string>) {
    if (jobIds.length === 0) return
    yield* Effect.logWarning(`${jobIds.length} steps were not done in time and are looked at anew`).pipe(
      Effect.annotateLogs({ process, jobs: jobIds.slice(0, named).join(" ") })
    )
    yield* woken(process, jobIds.length)
    yield* hand(jobIds.map((jobId) => ({ process, jobId })))
  })

  const overdueJobs = pagesOf(
    jobSets.open,
    Effect.fnUntraced(function* ({ member: jobId }, now) {
      const next = (yield* jobRows.get(jobId))?.nextAttemptAt ?? null
      return next !== null && Date.parse(next) < now - overdueMillis.verification ? jobId : undefined
    })
  )

  const overdueCallbacks = pagesOf(callbackSets.due, ({ member }, now) =>
    Effect.sync(() => {
      const { host, jobId } = parseHostMember(member)
      return isHostTaken(host, now) ? undefined : jobId
    }))

  const sweep = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (!areJobsWaiting()) yield* wake("verification", yield* overdueJobs(now, now - overdueMillis.verification))
    yield* wake("callback-delivery", yield* overdueCallbacks(now, now - overdueMillis["callback-delivery"]))
  }).pipe(
    Effect.catchTag("ReadModelsError", (error) => Effect.logDebug("Nothing could be reconciled", error))
  )
  return Effect.forever(Effect.andThen(Effect.sleep(everyMillis), sweep))
}

const everyMillis = 30_000

/** Jobs named in a line of the log. */
const named = 5
const pageSize = 256
const pagesOfASweep = 4

/** Judges the members of a set up to a score, a bounded number at a time: the next time goes on from there. */
const pagesOf = <R>(
  set: OrderedSet,
  judge: (member: Member, now: number) => Effect.Effect<string | undefined, ReadModelsError, R>
) => {
  let judgedTo: Member | undefined
  return Effect.fnUntraced(function* (now: number, to: number) {
    const overdue: Array<string> = []
    for (let page = 0; page < pagesOfASweep; page++) {
      const after = judgedTo === undefined ? {} : { after: judgedTo }
      const members = yield* set.members({ to, limit: pageSize, ...after })
      for (const member of members) {
        const jobId = yield* judge(member, now)
        if (jobId !== undefined) overdue.push(jobId)
      }
      judgedTo = members.length < pageSize ? undefined : members.at(-1)
      if (judgedTo === undefined) break
    }
    return overdue
  })
}
