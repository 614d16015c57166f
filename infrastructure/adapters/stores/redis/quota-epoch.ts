import { Clock, Effect, Semaphore } from "effect"
import { randomUUID } from "node:crypto"
import { beginning, isBefore } from "../../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../../ports/event-store.ts"
import { QuotaError } from "../../../../ports/quota.ts"
import { ReadModels } from "../../../../ports/read-models.ts"
import { SoleWriter } from "../../../../ports/sole-writer.ts"
import { RedisConnection } from "./connection.ts"
import { epochKeyOf } from "./keys.ts"
import { listOf, loadScripts, textOf } from "./scripts.ts"

const { "begin-epoch": beginEpochScript } = loadScripts("quota", "begin-epoch")

export interface QuotaEpochOptions {
  readonly model: string
  /** How long no unit is admitted after a loss of reservations. */
  readonly gracePeriodMillis: number
  /** How long a caller waits for the model. */
  readonly waitMillis: number
}

/**
 * Ensures that Redis holds every reservation and charge before anything is decided from it.
 *
 * A Redis that lost its data, or its last second of data, does not report the loss, and the holders of lost reservations
 * continue to work. So every loss begins an epoch, and so does clearing the model. No unit is admitted during the grace
 * period after a loss: by its end every holder has appended its charge or has ended without one. The appends of a sole writer
 * may last longer; they are waited for. A process confirms the epoch once the model has counted the log.
 */
export const makeQuotaEpoch = Effect.fnUntraced(function* (options: QuotaEpochOptions) {
  const { gracePeriodMillis, model, waitMillis } = options
  const log = yield* EventStore
  const models = yield* ReadModels
  const redis = yield* RedisConnection
  const appendsSettled = (yield* SoleWriter)?.settled ?? Effect.void

  let isLogEmpty = true
  let grace = { epoch: "", until: 0 }

  /** Returns the current epoch and its remaining grace period. Begins an epoch if there is none. */
  const beginEpoch = Effect.gen(function* () {
    // An empty log has no branch, so no unit can be reserved.
    isLogEmpty &&= !isBefore(beginning, yield* log.head)
    const gracePeriod = isLogEmpty ? 0 : gracePeriodMillis
    const reply = yield* redis.run("beginEpoch", beginEpochScript, [epochKeyOf(model)], [randomUUID(), gracePeriod])
    const [id, left] = listOf(reply)
    const epoch = { id: textOf(id), graceMillis: Number(left) }
    if (epoch.graceMillis > 0 && grace.epoch !== epoch.id) {
      yield* Effect.logWarning("Redis may have lost quota reservations: no unit is admitted during the grace period")
        .pipe(Effect.annotateLogs({ model, seconds: epoch.graceMillis / 1_000 }))
    }
    if (epoch.graceMillis > 0) grace = { epoch: epoch.id, until: (yield* Clock.currentTimeMillis) + epoch.graceMillis }
    return epoch
  })

  const catchUp = Effect.flatMap(log.head, (head) => models.awaitPosition(model, head, waitMillis))

  /** The last epoch that `confirm` returned. When several fibers find it outdated, one of them confirms the next. */
  const makeConfirmation = (
    confirm: Effect.Effect<string, Effect.Error<typeof beginEpoch | typeof catchUp> | QuotaError>
  ) =>
    Effect.map(Semaphore.make(1), (mutex) => {
      let confirmed = ""
      return {
        epoch: () => confirmed,
        /** `outdated` is the confirmed epoch that is no longer current. */
        renew: (outdated: string) =>
          mutex.withPermits(1)(Effect.suspend(() =>
            confirmed === outdated
              ? Effect.map(confirm, (id) => {
                confirmed = id
              })
              : Effect.void
          ))
      }
    })

  const confirmAfterGrace = Effect.gen(function* () {
    while (true) {
      const now = yield* Clock.currentTimeMillis
      // A grace period is never shortened, so Redis need not be asked again while it lasts.
      if (grace.until - now > waitMillis) return yield* new QuotaError({ reason: "not-ready" })
      const { graceMillis, id } = yield* beginEpoch
      if (graceMillis === 0) {
        yield* appendsSettled
        yield* catchUp
        return id
      }
      if (graceMillis <= waitMillis) yield* Effect.sleep(graceMillis)
    }
  })

  return {
    /** Returns once the model has counted all events that are in the log now. */
    catchUp,
    /** Begins an epoch if Redis may have lost reservations. */
    beginEpoch: Effect.asVoid(beginEpoch),
    /** The epoch for reserving units. */
    admission: yield* makeConfirmation(confirmAfterGrace),
    /** The epoch for counting charges, which does not depend on open reservations. */
    counting: yield* makeConfirmation(Effect.map(Effect.tap(beginEpoch, catchUp), ({ id }) => id))
  }
})
