import type { Buffer } from "node:buffer"
import { Effect, Schedule, Stream } from "effect"
import { isBefore, type Position, type RecordedEvent } from "../../../../domain/events/recorded-event.ts"
import type { EventStoreError } from "../../../../ports/event-store.ts"
import type { Connection, Reading } from "./connection.ts"
import { subscribeRequest } from "./read.ts"
import { decodeReadAnswer, isOwnEvent, type StoredEvent } from "./read-answer.ts"
import type { ToStoreError } from "./store-error.ts"
import type { PassOver } from "./system-events.ts"

/** Most events of a page: about a millisecond of work before the event loop continues. */
const PAGE = 256

/**
 * A catch-up subscription to the streams with these prefixes. When the connection breaks, it reconnects and continues
 * after the last delivered event. Only an event that can't be read ends it.
 *
 * gRPC applies back-pressure: the client requests no more than the consumer takes.
 */
export const subscription = (
  connection: Connection,
  prefixes: ReadonlyArray<string>,
  after: Position,
  passOver: PassOver,
  toStoreError: ToStoreError
): Stream.Stream<ReadonlyArray<RecordedEvent>, EventStoreError> =>
  Stream.suspend(() => {
    let at = after

    const accept = (answers: ReadonlyArray<Buffer>): ReadonlyArray<StoredEvent> => {
      const events: Array<StoredEvent> = []
      for (const answer of answers) {
        const { checkpoint, event } = decodeReadAnswer(answer)
        const position = event?.position ?? checkpoint
        if (position === undefined || !isBefore(at, position)) continue
        at = position
        if (event !== undefined) events.push(event)
      }
      return events
    }

    const connected = Stream.unwrap(Effect.gen(function* () {
      const reading = yield* Effect.acquireRelease(
        Effect.tryPromise(() => connection.read(subscribeRequest(prefixes, at))),
        ({ answers }) => Effect.sync(() => answers.cancel()),
        // Connecting may wait for a cluster that never recovers.
        { interruptible: true }
      )
      return Stream.fromEffectRepeat(
        takeAvailable(reading).pipe(
          Effect.flatMap((answers) => Effect.try(() => accept(answers))),
          Effect.tap(passOver),
          Effect.map((events): ReadonlyArray<RecordedEvent> => events.filter(isOwnEvent))
        )
      )
    }))

    return connected.pipe(
      Stream.mapError(({ cause }) => toStoreError("subscribe", cause)),
      Stream.filter((events) => events.length > 0),
      Stream.tapError((error) =>
        error.reason === "corrupt"
          ? Effect.void
          : Effect.logWarning("The subscription to the event store broke and reconnects", error)
      ),
      Stream.retry(Schedule.while(backoff, ({ input }) => input.reason !== "corrupt"))
    )
  })

const backoff = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("5 seconds")]).pipe(
  Schedule.jittered,
  Schedule.setInputType<EventStoreError>()
)

/** The answers that have arrived, at least one. Fails when the call has ended and every answer was taken. */
const takeAvailable = (reading: Reading) =>
  Effect.tryPromise(async (signal) => {
    const taken: Array<Buffer> = []
    while (taken.length < PAGE) {
      const answer: Buffer | null = reading.answers.read()
      if (answer !== null) {
        taken.push(answer)
      } else if (taken.length === 0) {
        await readable(reading, signal)
      } else {
        // gRPC decodes one message per turn of the event loop; messages that follow at once join the page.
        await new Promise((resume) => setImmediate(resume))
        if (reading.answers.readableLength === 0) break
      }
    }
    return taken
  })

const readable = ({ answers, failure }: Reading, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stopWaiting = (): void => {
      answers.off("readable", onReadable).off("error", onEnd).off("end", onEnd).off("close", onEnd)
      signal.removeEventListener("abort", onEnd)
    }
    const onReadable = (): void => {
      stopWaiting()
      resolve()
    }
    const onEnd = (): void => {
      stopWaiting()
      reject(failure() ?? new Error("the server ended the subscription"))
    }
    if (failure() !== undefined || answers.destroyed || answers.readableEnded || signal.aborted) return onEnd()
    answers.on("readable", onReadable).on("error", onEnd).on("end", onEnd).on("close", onEnd)
    signal.addEventListener("abort", onEnd)
  })
