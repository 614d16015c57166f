import { Context, Effect, Layer } from "effect"
import { sealings, streamOf } from "../../domain/events/aggregates.ts"
import { beginning, formatPosition, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { isBound, isSealed } from "../../domain/sealed.ts"
import { isoTime } from "../../domain/time.ts"
import { EventStore, type EventStoreError, type WrongExpectedRevision } from "../../ports/event-store.ts"
import type { Identifiers } from "../../ports/identifiers.ts"
import { type Unbound, VaultError } from "../../ports/vault.ts"
import { handleCommand } from "../events/handle-command.ts"
import { contextOf } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"

/**
 * The event that says from where on the log has bound values only (docs/spec/events.md, "Sealed values"). Values from before
 * an upgrade are bound to their purpose only: in events after the marker they do not open, so that a copy in another record
 * opens nowhere.
 */
export class BindingMarker extends Context.Service<BindingMarker, {
  readonly unbound: Unbound
  /** Whether the log has the marker, or needs none because all of its values are bound. */
  readonly isSet: Effect.Effect<boolean, EventStoreError>
  /** Appends the marker unless the log has it. No process of a version that appends unbound values may run. */
  readonly set: (
    ids: RequestIds
  ) => Effect.Effect<void, EventStoreError | WrongExpectedRevision, EventStore | Identifiers>
}>()("sliptrail/application/BindingMarker") {
  static readonly layer = Layer.effect(BindingMarker, Effect.suspend(() => make))
}

/** Events searched for the first sealed value: the first account, near the beginning of the log, has one. */
const FIRST_EVENTS = 200

/** Whether all values of the log are bound: it is empty, or its first sealed value is bound. */
const isBoundFromBeginning = Effect.gen(function* () {
  const { head, readAll } = yield* EventStore
  if (formatPosition(yield* head) === formatPosition(beginning)) return true
  const events = yield* readAll({ after: beginning, limit: FIRST_EVENTS })
  const first = events.flatMap(({ data }) => Object.values(data)).find(isSealed)
  return first !== undefined && isBound(first)
})

const make = Effect.gen(function* () {
  const { readStream } = yield* EventStore
  let boundFrom: Position | undefined

  const find = Effect.gen(function* () {
    if (boundFrom !== undefined) return boundFrom
    const [marker] = yield* readStream(streamOf.sealing(), { limit: 1 })
    boundFrom = marker?.position
    return boundFrom
  })
  if ((yield* find) === undefined && (yield* isBoundFromBeginning)) boundFrom = beginning
  const isSet = Effect.map(find, (position) => position !== undefined)

  return BindingMarker.of({
    unbound: (position) =>
      Effect.map(
        Effect.mapError(find, (cause) => new VaultError({ reason: "not-read", cause })),
        (until) =>
          // Only a changed file has events at the beginning or before it.
          position !== undefined && isBefore(beginning, position) && (until === undefined || isBefore(position, until))
      ),
    isSet,
    set: Effect.fnUntraced(function* (ids) {
      if (yield* isSet) return
      const context = yield* contextOf(ids)
      const command = { _tag: "BindSealedValues", at: isoTime(context.at) } as const
      yield* handleCommand(sealings, streamOf.sealing(), command, context)
    })
  })
})
