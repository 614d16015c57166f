import { Clock, Context, Effect, Exit, Layer, Schedule } from "effect"
import { quotaMonth } from "../../domain/time.ts"
import { batchJobName } from "../../domain/ids.ts"
import type { Egress } from "../../ports/egress.ts"
import type { EventStore, EventStoreError, WrongExpectedRevision } from "../../ports/event-store.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { Quota, type QuotaError, type Reservation } from "../../ports/quota.ts"
import type { SlipReader } from "../../ports/slip-reader.ts"
import type { Vault } from "../../ports/vault.ts"
import { Handover } from "../processes/work-notifier.ts"
import type { Caller } from "../provisioning/callers.ts"
import { type Acceptance, appendJob, holdsUnit, jobState, type NewJob, type SlipHandedOver } from "./append-job.ts"
import { keepSources, type PicturesUnusable } from "./picture-source.ts"
import { type Charge, QuotaExceeded, withQuotaUnits } from "../quota/quota-unit.ts"
import type { ReaderUnavailable } from "../verification/slip-source.ts"

/** Slips of one batch (docs/spec/http.md, "Async"). */
export const MOST_SLIPS = 100

interface Request {
  readonly caller: Caller
  readonly correlationId: string
}

/** Why nothing was accepted. After the last two some of a batch may have been: the log went away in between. */
export type EnqueueError =
  | PicturesUnusable
  | ReaderUnavailable
  | QuotaExceeded
  | QuotaError
  | EventStoreError
  | WrongExpectedRevision

/** Takes slips in, to be verified later. What was accepted is in the log, and holds its units of the quota. */
export class SlipIntake extends Context.Service<SlipIntake, {
  /** Accepts one slip as the job of that id; accepting it again changes nothing. */
  readonly enqueue: (
    request: Request & {
      readonly jobId: string
      readonly slip: SlipHandedOver
    }
  ) => Effect.Effect<void, EnqueueError>
  /**
   * Accepts 1 to `MOST_SLIPS` slips together, all or none, and gives the ids of their jobs in their order; the same
   * batch again changes nothing.
   */
  readonly enqueueBatch: (
    request: Request & {
      readonly batchId: string
      readonly slips: ReadonlyArray<SlipHandedOver>
    }
  ) => Effect.Effect<ReadonlyArray<string>, EnqueueError>
}>()("sliptrail/application/SlipIntake") {
  static readonly layer = Layer.suspend(() => Layer.effect(SlipIntake, make))
}

/** Appends at a time. */
const AT_A_TIME = 25

/** Units that others hold for a moment, such as a batch that in the end is refused, may be there a little later. */
const whileHeld = Schedule.exponential("10 millis").pipe(Schedule.jittered, Schedule.upTo({ times: 4 }))

/**
 * A batch that can't be had as a whole is refused before it takes the units that others could use. Not so one that is
 * in the log already: its own use of the quota does not stand against it.
 */
const checkRoom = Effect.fnUntraced(function* (batch: ReadonlyArray<NewJob>, { caller, month }: Acceptance) {
  const [first] = batch
  const { branch: { quota: limit }, branchId } = caller
  if (first === undefined || batch.length === 1 || limit === null) return
  const { used } = yield* (yield* Quota).usage(branchId, month)
  if (used + batch.length <= limit || (yield* jobState(first.jobId)).enqueued !== null) return
  return yield* new QuotaExceeded()
})

const make = Effect.gen(function* () {
  const services = yield* Effect.context<EventStore | Quota | SlipReader | Egress | Vault | Identifiers>()
  const scope = yield* Effect.scope

  const accept = Effect.fnUntraced(function* ({ caller, correlationId }: Request, batch: ReadonlyArray<NewJob>) {
    const { branch: { quota: limit }, branchId } = caller
    const sources = yield* keepSources(batch.map(({ slip }) => slip.source))
    const at = yield* Clock.currentTimeMillis
    const month = quotaMonth(at)
    const context = { correlationId, actor: { kind: "branch", id: branchId }, at } as const
    const acceptance: Acceptance = { caller, month, context }
    yield* checkRoom(batch, acceptance)

    const charges = new Map<string, Charge>()
    const appendAll = Effect.forEach(batch, (job, index) => {
      const source = sources[index]
      if (source === undefined) return Effect.die("every slip has a source")
      charges.set(job.jobId, "unknown")
      return appendJob(job, source, acceptance).pipe(
        Effect.tap(({ after }) => Effect.sync(() => charges.set(job.jobId, holdsUnit(after) ? "charged" : "free"))),
        Effect.exit
      )
    }, { concurrency: AT_A_TIME })

    const reservations = batch.map(({ jobId }): Reservation => ({ branchId, month, reservationId: jobId }))
    const handOver = yield* Handover
    const exits = yield* withQuotaUnits(
      reservations,
      limit,
      // Once some of a batch are in the log the others follow, also when the caller goes away.
      (isInTime) => Effect.andThen(isInTime, Effect.uninterruptible(appendAll)),
      {
        outcome: (_, { reservationId }) => charges.get(reservationId) ?? "free",
        wasCharged: ({ reservationId }) => Effect.map(jobState(reservationId), holdsUnit),
        scope
      }
    ).pipe(
      Effect.retry({ schedule: whileHeld, while: ({ _tag }) => batch.length > 1 && _tag === "QuotaExceeded" })
    )
    yield* handOver(batch.flatMap(({ jobId }, index) => {
      const exit = exits[index]
      return exit !== undefined && Exit.isSuccess(exit) ? [{ process: "verification" as const, jobId }] : []
    }))
    yield* Effect.forEach(exits, (exit) => exit, { discard: true })
  })

  const within = (context: Context.Context<never>) => Context.merge(context, services)
  return SlipIntake.of({
    enqueue: ({ jobId, slip, ...request }) =>
      Effect.updateContext(
        accept(request, [{ jobId, batchId: null, batchIndex: null, batchSize: null, slip }]),
        within
      ),
    enqueueBatch: Effect.fnUntraced(function* ({ batchId, slips, ...request }) {
      const { derived } = Context.get(services, Identifiers)
      const batch = slips.map((slip, index): NewJob => ({
        jobId: derived(batchJobName(batchId, index)),
        batchId,
        batchIndex: index,
        batchSize: slips.length,
        slip
      }))
      yield* Effect.updateContext(accept(request, batch), within)
      return batch.map(({ jobId }) => jobId)
    })
  })
})
