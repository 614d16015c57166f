import { Clock, Context, Effect, Schedule } from "effect"
import { CappedMap } from "../../domain/capped-map.ts"
import { isoTime } from "../../domain/time.ts"
import { fold } from "../../domain/decider.ts"
import type { Aggregate } from "../../domain/events/aggregates.ts"
import type { Actor } from "../../domain/actor.ts"
import type { EventMetadata, NewEvent } from "../../domain/events/recorded-event.ts"
import { EventStore, type EventStoreError, isUnknownOutcome, WrongExpectedRevision } from "../../ports/event-store.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { LAST_TRY_MILLIS, RETRY_PAUSE_MILLIS } from "../../ports/log-waits.ts"
import { inSpan } from "../../ports/tracing.ts"
import { failStreamChanged } from "./stream-changed.ts"

/** Who sent the request that leads to a command, and its ids. */
export interface RequestIds {
  readonly actor: Actor
  /** The service's own id. All later work of the request has it too. */
  readonly correlationId: string
  /** The caller's own id, if it sent one. Later work does not need it: `correlationId` leads to it. */
  readonly clientRequestId?: string | undefined
}

/** The metadata of a command. */
export interface CommandContext extends RequestIds {
  /** Event ids derive from it: repeating a command appends once. */
  readonly commandId: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/** A folded stream; `revision` is -1 for an empty stream. */
export interface Loaded<State> {
  readonly state: State
  readonly revision: number
}

/** The result of a command. `events` is empty when the command has no effect, for example when it is repeated. */
export interface Handled<State, Event> {
  readonly before: State
  readonly events: ReadonlyArray<Event>
  readonly after: State
}

interface Tagged {
  readonly _tag: string
}

const MAX_CONFLICTS = 40

/**
 * Reads in a row that do not find the event which a conflict before them named. A server may need some milliseconds until an
 * event can be read; these take a fifth of a second.
 */
const MAX_UNSEEN = 8

/** Retries after `WrongExpectedRevision`. */
export const afterConflict = Schedule.exponential("2 millis").pipe(
  Schedule.jittered,
  (delays) => Schedule.min([delays, Schedule.spaced("50 millis")]),
  Schedule.upTo({ times: MAX_CONFLICTS })
)

/** Events that are read and folded at a time: a few milliseconds of work. Other requests run between two slices. */
export const SLICE = 128

/** Loads a stream and folds it; with `since`, reads only newer events. */
export const load = <Command, State, Event, Rejection>(
  aggregate: Aggregate<Command, State, Event, Rejection>,
  stream: string,
  since: Loaded<State> = { state: aggregate.decider.initialState, revision: -1 }
): Effect.Effect<Loaded<State>, EventStoreError, EventStore> =>
  EventStore.use(({ readStream }) =>
    Effect.flatMap(readStream(stream, { from: since.revision + 1, limit: SLICE }), (recorded) => {
      const loaded = {
        state: fold(aggregate.decider, recorded.map(aggregate.codec.decode), since.state),
        revision: since.revision + recorded.length
      }
      return recorded.length < SLICE
        ? Effect.succeed(loaded)
        : Effect.andThen(Effect.yieldNow, load(aggregate, stream, loaded))
    })
  )

/** Hot path: the state of a stream is cached from this length on, because to fold it is slow. Guarded by `npm run bench -- growth`. */
const CACHED_FROM_REVISION = 64
const CACHED_STREAMS = 256

export type CachedLoad<State> = (stream: string) => Effect.Effect<Loaded<State>, EventStoreError, EventStore>

/**
 * `load` with a cache of the states of long streams, for each log: only newer events are read. A cached state stays valid,
 * because events are never changed and new events are folded into it.
 */
export const makeCachedLoad = <Command, State, Event, Rejection>(
  aggregate: Aggregate<Command, State, Event, Rejection>
): CachedLoad<State> => {
  const caches = new WeakMap<EventStore["Service"], CappedMap<string, Loaded<State>>>()
  const cacheOf = (store: EventStore["Service"]) => {
    const cache = caches.get(store) ?? new CappedMap<string, Loaded<State>>(CACHED_STREAMS)
    caches.set(store, cache)
    return cache
  }
  return (stream) =>
    EventStore.use((store) => {
      const cache = cacheOf(store)
      return Effect.map(load(aggregate, stream, cache.get(stream)), (loaded) => {
        if (loaded.revision >= CACHED_FROM_REVISION) cache.set(stream, loaded)
        return loaded
      })
    })
}

/**
 * Turns a command into events: load and fold, decide, append at the expected revision; after a conflict, decide again
 * from the new state. An append of unknown outcome is retried with the same event ids, so it commits once. Fails with
 * the aggregate's rejection, or with the store's error after the last retry.
 *
 * `beforeAppend` runs right before each try of an append. When it fails, nothing is sent.
 */
export const handleCommand = <
  Command,
  State,
  Event extends Tagged,
  Rejection extends Tagged,
  E extends Tagged = never
>(
  aggregate: Aggregate<Command, State, Event, Rejection>,
  stream: string,
  command: Command,
  context: CommandContext,
  known?: Loaded<State>,
  beforeAppend?: Effect.Effect<void, E>
) =>
  Effect.contextWith((services: Context.Context<EventStore | Identifiers>) => {
    const store = Context.get(services, EventStore)
    const identifiers = Context.get(services, Identifiers)
    let loaded = known

    const { clientRequestId } = context
    const serviceMetadata: EventMetadata = {
      at: isoTime(context.at),
      correlationId: context.correlationId,
      causationId: context.commandId,
      actor: context.actor,
      schema: 1
    }
    const metadata = clientRequestId === undefined ? serviceMetadata : { ...serviceMetadata, clientRequestId }
    const toNewEvent = (event: Event, index: number): NewEvent => ({
      id: identifiers.derived(`${stream}/${context.commandId}/${index}`),
      ...aggregate.codec.encode(event),
      metadata
    })

    const append = (revision: number, events: ReadonlyArray<Event>) => {
      const send = store.append(stream, revision === -1 ? "no-stream" : revision, events.map(toNewEvent))
      const tryAppend = beforeAppend === undefined ? send : Effect.andThen(beforeAppend, send)
      // Hot path: to make a schedule for each append takes 2 µs, and few are tried again. Guarded by `npm run bench -- http`.
      const tryUntil = (last: number, pauseMillis: number): typeof tryAppend =>
        Effect.catchIf(
          tryAppend,
          isUnknownOutcome,
          (error) =>
            Effect.flatMap(Clock.currentTimeMillis, (now) =>
              now < last
                ? Effect.delay(
                  tryUntil(last, Math.min(2 * pauseMillis, RETRY_PAUSE_MILLIS.longest)),
                  Math.min(pauseMillis, last - now)
                )
                : Effect.fail(error))
        )
      return Effect.flatMap(
        Clock.currentTimeMillis,
        (now) => tryUntil(now + LAST_TRY_MILLIS, RETRY_PAUSE_MILLIS.first)
      )
    }

    const attemptFrom = ({ revision, state }: Loaded<State>) =>
      Effect.flatMap(Effect.fromResult(aggregate.decider.decide(command, state)), (events) => {
        const appended = events.length === 0 ? Effect.void : append(revision, events)
        return Effect.map(appended, (): Handled<State, Event> => ({
          before: state,
          events,
          after: fold(aggregate.decider, events, state)
        }))
      })
    const attempt = Effect.suspend(() => {
      if (loaded !== undefined) return attemptFrom(loaded)
      return Effect.flatMap(load(aggregate, stream), (first) => attemptFrom(loaded = first))
    })
    /** The last event of the stream, as the last conflict named it. */
    let last = -1
    let unseen = 0
    const attemptNotingLast = Effect.tapError(attempt, (error) =>
      Effect.sync(() => {
        if (error instanceof WrongExpectedRevision) last = error.actual === "no-stream" ? -1 : error.actual
      }))
    const reloadAndAttempt = Effect.gen(function* () {
      loaded = yield* load(aggregate, stream, loaded)
      // A read after a conflict finds the event that the conflict named, unless the stream was changed in the event store.
      unseen = loaded.revision < last ? unseen + 1 : 0
      if (unseen > MAX_UNSEEN) {
        const what = `${stream} has event ${last} in the event store, and a read does not find it`
        return yield* failStreamChanged("append", what)
      }
      return yield* attemptNotingLast
    })
    const handled = Effect.catchTag(
      attemptNotingLast,
      "WrongExpectedRevision",
      () =>
        Effect.retry(reloadAndAttempt, {
          schedule: afterConflict,
          while: (error) => error._tag === "WrongExpectedRevision"
        })
    )
    return inSpan({ name: nameOf(command) }, handled)
  })

const nameOf = (command: unknown): string =>
  command instanceof Object && "_tag" in command && typeof command._tag === "string" ? command._tag : "command"
