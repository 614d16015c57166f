import { it } from "../../../../support/it.ts"
import { Context, Effect, Fiber, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { shadowName } from "../../../../../projections/engine/model-name.ts"
import type { RecordedEvent } from "../../../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../../../ports/event-store.ts"
import { Quota, type QuotaError, type Reservation } from "../../../../../ports/quota.ts"
import { ReadModels, type Write } from "../../../../../ports/read-models.ts"
import { SoleWriter } from "../../../../../ports/sole-writer.ts"
import { layerQuotaRedis, type RedisQuotaOptions } from "../../../../../infrastructure/adapters/stores/redis/quota.ts"
import { layerReadModelsRedis } from "../../../../../infrastructure/adapters/stores/redis/read-models.ts"
import { keyPrefixOf } from "../../../../../infrastructure/adapters/stores/redis/keys.ts"
import { untilDone } from "../../../../support/advance-clock.ts"
import { layerEventStoreMemory } from "../../../../support/memory-event-store.ts"
import { patientConnection } from "./given-redis.ts"
import { someEvent } from "../../../../support/event-fixtures.ts"

/** A test with a log of its own. */
export const test = it.effect.with(() => Layer.fresh(layerEventStoreMemory))

/** The answer or the reason of the failure. */
export const reasonOf = <A, R>(effect: Effect.Effect<A, QuotaError, R>) =>
  Effect.match(effect, { onSuccess: String, onFailure: ({ reason }) => reason })

export const model = "quota.v1"

const setOf = (month: string) => `month:b1:${month}`

export const month = "2026-11"
export const monthSet = setOf(month)

/** The key of the units that are reserved in the month. */
export const openKey = `${keyPrefixOf(model)}:open:${monthSet}`

/** A unit under a limit of a month. */
export const reservation = (reservationId: string, limit = 1, inMonth = month): Reservation => ({
  limits: [{ set: setOf(inMonth), limit }],
  reservationIds: [reservationId]
})

/** Quota and read models as in a process: over a separate connection, and over the test's log. */
export const startQuota = (
  url: string,
  options: Pick<RedisQuotaOptions, "holdFor" | "gracePeriod"> & {
    readonly soleWriter?: SoleWriter
  } = {}
) =>
  layerQuotaRedis({ model, ...options }).pipe(
    Layer.provideMerge(layerReadModelsRedis({ countedBy: model })),
    Layer.provide(patientConnection(url)),
    Layer.provide(Layer.succeed(SoleWriter, options.soleWriter)),
    Layer.fresh,
    Layer.build,
    Effect.map((context) => ({ quota: Context.get(context, Quota), models: Context.get(context, ReadModels) }))
  )

/** Appends an event, because a new Redis needs no grace period while the log is empty. */
export const appendBranch = append("BranchCreated", "b1")

export const appendCharge = (reservationId: string, inMonth = month) => append("Charged", `${inMonth}/${reservationId}`)

/** Applies at most `limit` events of the log to the model, as the projector does. */
export const count = Effect.fnUntraced(function* (models: ReadModels["Service"], limit = 1_000) {
  yield* project(models, model, limit)
})

/** Rebuilds the model from the whole log as a shadow model and promotes it. */
export const recount = Effect.fnUntraced(function* (models: ReadModels["Service"]) {
  yield* project(models, shadowName(model), 1_000)
  return yield* models.promote(model)
})

/** Runs an effect while the test clock advances. */
export const whileTimePasses = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.exit(effect))
    yield* untilDone(fiber)
    return yield* yield* Fiber.join(fiber)
  })

const project = Effect.fnUntraced(function* (models: ReadModels["Service"], model: string, limit: number) {
  const after = yield* models.checkpoint(model)
  const events = yield* (yield* EventStore).readAll({ after, limit })
  const upTo = events.at(-1)?.position
  if (upTo !== undefined) yield* models.apply(model, { after, upTo, writes: events.flatMap(writesOf) })
})

const writesOf = ({ stream, type }: RecordedEvent): ReadonlyArray<Write> => {
  const [inMonth = "", reservationId = ""] = stream.split("/")
  return type !== "Charged" ? [] : [{ _tag: "AddMember", set: setOf(inMonth), member: reservationId, score: 1 }]
}

function append(type: string, stream: string) {
  return EventStore.use((log) => log.append(stream, "no-stream", [someEvent(randomUUID(), type)]))
}
