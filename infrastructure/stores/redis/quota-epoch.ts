import { Clock, Effect, Option, Semaphore } from "effect"
import { randomUUID } from "node:crypto"
import { beginning, formatPosition, isBefore, parsePosition } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { QuotaError } from "../../../ports/quota.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { RedisConnection } from "./connection.ts"
import { keyPrefixOf, metaKeyOf } from "./keys.ts"
import { listOf, loadScripts, textOf } from "./scripts.ts"

const scripts = loadScripts("quota", "begin-epoch", "lower-top")

export interface StandingOptions {
  readonly model: string
  readonly graceMillis: number
  /** How long the model may take to count what it has to. */
  readonly patienceMillis: number
}

/**
 * Makes sure that what Redis holds is all there is to know, before anything is decided from it.
 *
 * A Redis that lost its data, or its last second, does not tell: it has only forgotten reservations whose holders are
 * still at work. So each loss begins an epoch. Its first moments, in which those holders append their charges or die,
 * admit nothing; then the model has to count everything that the log holds, and with that the epoch is proven.
 */
export const makeQuotaStanding = Effect.fnUntraced(function* ({ graceMillis, model, patienceMillis }: StandingOptions) {
  const log = yield* EventStore
  const models = yield* ReadModels
  const redis = yield* RedisConnection
  const prefix = keyPrefixOf(model)
  const keys = { meta: metaKeyOf(model), epoch: `${prefix}:epoch` }

  /** The epoch in force, and how long it admits nothing yet. */
  const enter = Effect.gen(function* () {
    // An empty log knows no branch, so nobody can hold a unit.
    const grace = isBefore(beginning, yield* log.head) ? graceMillis : 0
    return readEpoch(yield* redis.run("enter", scripts["begin-epoch"], [keys.epoch], [randomUUID(), grace]))
  })

  const catchUp = Effect.flatMap(log.head, (head) => models.awaitPosition(model, head, patienceMillis))

  /** Of any number of fibers that find the same epoch unproven one proves it. */
  const makeProof = (prove: Effect.Effect<string, Effect.Error<typeof enter | typeof catchUp> | QuotaError>) =>
    Effect.map(Semaphore.make(1), (one) => {
      let proven = ""
      const proveUnless = (found: string) =>
        Effect.suspend(() =>
          proven === found
            ? Effect.map(prove, (id) => {
              proven = id
            })
            : Effect.void
        )
      return {
        proven: () => proven,
        /** `found` is what was proven when it turned out not to be in force. */
        renew: (found: string) => one.withPermits(1)(proveUnless(found))
      }
    })

  let closed = { epoch: "", until: 0 }

  const afterGrace = Effect.gen(function* () {
    while (true) {
      const now = yield* Clock.currentTimeMillis
      // A grace may only get longer: as long as it lasts nobody has to ask for it again.
      if (closed.until - now > patienceMillis) return yield* new QuotaError({ reason: "not-ready" })
      const { graceMillis, id } = yield* enter
      if (graceMillis === 0) {
        yield* catchUp
        return id
      }
      if (closed.epoch !== id) {
        yield* Effect.logWarning("Redis may have lost reservations of quota: nothing is admitted for a moment").pipe(
          Effect.annotateLogs({ model, seconds: graceMillis / 1_000 })
        )
      }
      closed = { epoch: id, until: now + graceMillis }
      if (graceMillis <= patienceMillis) yield* Effect.sleep(graceMillis)
    }
  })

  /** One look at a time: while the model is built again every request comes by here. */
  const looking = yield* Semaphore.make(1)

  const awaitBack = Effect.fnUntraced(function* (top: string) {
    const furthest = parsePosition(top) ?? beginning
    const head = Option.getOrElse(yield* looking.withPermitsIfAvailable(1)(log.head), () => furthest)
    if (!isBefore(head, furthest)) return yield* models.awaitPosition(model, furthest, patienceMillis)
    yield* models.awaitPosition(model, head, patienceMillis)
    yield* redis.run("lowerTop", scripts["lower-top"], [keys.meta], [top, formatPosition(head)])
  })

  return {
    prefix,
    keys,
    /** Returns once the model has counted everything that was in the log when it was asked. */
    catchUp,
    /** Lets `enter` begin an epoch where there is none. */
    begin: Effect.asVoid(enter),
    /** For decisions. */
    admission: yield* makeProof(afterGrace),
    /** For looks at what is charged: what is under way does not matter to them. */
    counting: yield* makeProof(Effect.map(Effect.tap(enter, catchUp), ({ id }) => id)),
    /** Returns once the model is back where it was, or where the log ends if that was set back. */
    awaitBack
  }
})

const readEpoch = (reply: unknown): { readonly id: string; readonly graceMillis: number } => {
  const [id, graceMillis] = listOf(reply)
  return { id: textOf(id), graceMillis: Number(graceMillis) }
}
