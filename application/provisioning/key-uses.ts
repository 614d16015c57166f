import { Clock, Context, Effect, Layer, Queue } from "effect"
import { handleCommand } from "../events/handle-command.ts"
import type { Actor } from "../../domain/actor.ts"
import { keyUses, streamOf } from "../../domain/events/aggregates.ts"
import type { EventStore } from "../../ports/event-store.ts"
import { Identifiers } from "../../ports/identifiers.ts"

export interface KeyUse {
  readonly keyDigest: string
  /** The branch of the key. */
  readonly actor: Actor
  /** A day in UTC, `yyyy-MM-dd`. */
  readonly day: string
  /** Runs when the use could not be recorded: a later request of that day tries again. */
  readonly onFailure: () => void
}

/** Records in the background that a key was used on a day. Without the layer nothing is recorded. */
export const KeyUses = Context.Reference<(use: KeyUse) => void>("sliptrail/application/KeyUses", {
  defaultValue: () => () => {}
})

/** Uses that wait at a time: each key has one a day. Further ones fail, so a flood of requests adds no work. */
const MAX_WAITING = 1_000

/** Several processes derive the same event ids, and the stream accepts one event a day. */
const record = Effect.fnUntraced(function* ({ actor, day, keyDigest }: KeyUse) {
  const commandId = (yield* Identifiers).derived(`key-use/${keyDigest}/${day}`)
  const at = yield* Clock.currentTimeMillis
  const context = { commandId, correlationId: commandId, actor, at }
  yield* handleCommand(keyUses, streamOf.keyUse(keyDigest), { _tag: "RecordUse", keyDigest, day }, context)
})

export const layerKeyUses: Layer.Layer<never, never, EventStore | Identifiers> = Layer.effect(
  KeyUses,
  Effect.gen(function* () {
    const waiting = yield* Queue.dropping<KeyUse>(MAX_WAITING)
    const recordNext = Effect.flatMap(
      Queue.take(waiting),
      (use) =>
        Effect.catchCause(record(use), (cause) =>
          Effect.andThen(
            Effect.sync(use.onFailure),
            Effect.logDebug("The use of an API key could not be recorded", cause)
          ))
    )
    yield* Effect.forkScoped(Effect.forever(recordNext))
    return (use) => {
      if (!Queue.offerUnsafe(waiting, use)) use.onFailure()
    }
  })
)
