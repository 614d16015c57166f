import { Buffer } from "node:buffer"
import shared from "@eventstore/db-client/generated/shared_pb.js"
import streams from "@eventstore/db-client/generated/streams_pb.js"
import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js"
import { type Cause, Effect } from "effect"
import type { Position } from "../../../../domain/events/recorded-event.ts"
import { channelReplaced, type Connection, isUnhandled, MOST_REPEATS } from "./connection.ts"
import { decodeReadAnswer, isOwnEvent, isSystemEvent, type StoredEvent } from "./read-answer.ts"
import { UnreadableEvent } from "./store-error.ts"

/** All events of a read of a stream, and whether the server has the stream. It may have one without readable events. */
export const readEvents = (connection: Connection, request: ReadReq) =>
  Effect.flatMap(readOnLeader(connection, request), ({ events, isThere }) =>
    Effect.try(() => ({
      isThere,
      events: events.map((event) => {
        if (!isSystemEvent(event)) return event
        throw new UnreadableEvent(`event ${event.revision} of ${event.stream} is the system event ${event.type}`)
      })
    })))

/** All events of a read, those of the server itself included. */
export const readAnswers = (connection: Connection, request: ReadReq) =>
  Effect.map(readOnLeader(connection, request), ({ events }) => events)

interface FoundEvents {
  readonly events: ReadonlyArray<StoredEvent>
  readonly isThere: boolean
}

/** An interruption cancels the call. A read that a follower refuses is repeated on the leader. */
const readOnLeader = (
  connection: Connection,
  request: ReadReq,
  repeats = MOST_REPEATS
): Effect.Effect<FoundEvents, Cause.UnknownError> =>
  Effect.catchIf(
    readOnce(connection, request),
    ({ cause }) => repeats > 0 && isUnhandled(cause),
    () => Effect.andThen(Effect.promise(channelReplaced), readOnLeader(connection, request, repeats - 1))
  )

const readOnce = (connection: Connection, request: ReadReq) =>
  Effect.tryPromise(async (signal) => {
    const { answers, failure } = await connection.read(request)
    const cancel = () => answers.cancel()
    signal.addEventListener("abort", cancel)
    try {
      signal.throwIfAborted()
      const events: Array<StoredEvent> = []
      let isThere = true
      for await (const answer of answers) {
        const { event, isNotFound } = decodeReadAnswer(answer)
        if (event !== undefined) events.push(event)
        if (isNotFound) isThere = false
      }
      const error = failure()
      if (error !== undefined) throw error
      return { events, isThere } satisfies FoundEvents
    } finally {
      signal.removeEventListener("abort", cancel)
      // Without this, the server would continue to send after an error in this function.
      answers.cancel()
    }
  })

const { Options } = streams.ReadReq

/** Events of one stream from a revision on, oldest first. */
export const readStreamRequest = (stream: string, from: number, limit: number): ReadReq =>
  requestOf((options) => {
    const streamOptions = new Options.StreamOptions()
    streamOptions.setStreamIdentifier(streamIdentifier(stream))
    streamOptions.setRevision(String(from))
    options.setStream(streamOptions)
    options.setCount(String(limit))
    options.setNoFilter(new shared.Empty())
  })

/** Events of streams with these prefixes, in the global order, the event at `from` included. */
export const readAllRequest = (prefixes: ReadonlyArray<string>, from: Position, limit: number): ReadReq =>
  requestOf((options) => {
    options.setAll(allFrom(from))
    options.setCount(String(limit))
    options.setFilter(filterOf(prefixes))
  })

/** When the last events were written by the server, so many times more are read. */
const MORE_EVENTS = 64

/** The last event of streams with these prefixes that the server did not write itself; undefined without any. */
export const readLastEvent = Effect.fnUntraced(function* (connection: Connection, prefixes: ReadonlyArray<string>) {
  for (let limit = 1;; limit *= MORE_EVENTS) {
    const found = yield* readAnswers(connection, readLastRequest(prefixes, limit))
    const last = found.find(isOwnEvent)
    if (last !== undefined || found.length < limit) return last
  }
})

/** The last events of streams with these prefixes, the last one first. */
const readLastRequest = (prefixes: ReadonlyArray<string>, limit: number): ReadReq =>
  requestOf((options) => {
    const all = new Options.AllOptions()
    all.setEnd(new shared.Empty())
    options.setAll(all)
    options.setReadDirection(Options.ReadDirection.BACKWARDS)
    options.setCount(String(limit))
    options.setFilter(filterOf(prefixes))
  })

/** Events of streams with these prefixes after a position, and every later append. */
export const subscribeRequest = (prefixes: ReadonlyArray<string>, after: Position): ReadReq =>
  requestOf((options) => {
    options.setAll(allFrom(after))
    options.setSubscription(new Options.SubscriptionOptions())
    options.setFilter(filterOf(prefixes))
  })

const streamIdentifier = (stream: string) => {
  const identifier = new shared.StreamIdentifier()
  identifier.setStreamName(Buffer.from(stream, "utf8"))
  return identifier
}

const requestOf = (fill: (options: ReadReq.Options) => void): ReadReq => {
  const options = new Options()
  const ids = new Options.UUIDOption()
  ids.setString(new shared.Empty())
  options.setUuidOption(ids)
  fill(options)
  const request = new streams.ReadReq()
  request.setOptions(options)
  return request
}

const allFrom = (position: Position) => {
  const all = new Options.AllOptions()
  // A shadow model that is being restored is at a position before the first event.
  if (position.commit === 0n) {
    all.setStart(new shared.Empty())
    return all
  }
  const at = new Options.Position()
  at.setCommitPosition(String(position.commit))
  at.setPreparePosition(String(position.prepare))
  all.setPosition(at)
  return all
}

const filterOf = (prefixes: ReadonlyArray<string>) => {
  const expression = new Options.FilterOptions.Expression()
  expression.setPrefixList([...prefixes])
  const filter = new Options.FilterOptions()
  filter.setStreamIdentifier(expression)
  filter.setCount(new shared.Empty())
  filter.setCheckpointintervalmultiplier(CHECKPOINT_EVERY)
  return filter
}

/** In units of 32 events that the server examined, whether they passed the filter or not. */
const CHECKPOINT_EVERY = 32
