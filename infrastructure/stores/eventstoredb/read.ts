import { Buffer } from "node:buffer"
import shared from "@eventstore/db-client/generated/shared_pb.js"
import streams from "@eventstore/db-client/generated/streams_pb.js"
import type { ReadReq } from "@eventstore/db-client/generated/streams_pb.js"
import { type Cause, Effect } from "effect"
import {
  type EventMetadata,
  type JsonObject,
  type Position,
  type RecordedEvent
} from "../../../domain/events/recorded-event.ts"
import { channelReplaced, type Connection, isUnhandled, MOST_REPEATS } from "./connection.ts"
import { MessageReader } from "./protobuf.ts"
import { UnreadableEvent } from "./store-error.ts"

/** All events of a read of a stream; none when it does not exist. */
export const readEvents = (connection: Connection, request: ReadReq) =>
  Effect.flatMap(readAnswers(connection, request), (found) =>
    Effect.try(() =>
      found.map((event) => {
        if (!isSystemEvent(event)) return event
        throw new UnreadableEvent(`event ${event.revision} of ${event.stream} is the system event ${event.type}`)
      })
    ))

/**
 * All events of a read, those of the server itself included. An interruption cancels the call. A read that a follower refuses
 * is repeated on the leader.
 */
export const readAnswers = (
  connection: Connection,
  request: ReadReq,
  repeats = MOST_REPEATS
): Effect.Effect<ReadonlyArray<StoredEvent>, Cause.UnknownError> =>
  Effect.catchIf(
    readOnce(connection, request),
    ({ cause }) => repeats > 0 && isUnhandled(cause),
    () => Effect.andThen(Effect.promise(channelReplaced), readAnswers(connection, request, repeats - 1))
  )

const readOnce = (connection: Connection, request: ReadReq) =>
  Effect.tryPromise(async (signal) => {
    const { answers, failure } = await connection.read(request)
    const cancel = () => answers.cancel()
    signal.addEventListener("abort", cancel)
    try {
      signal.throwIfAborted()
      const events: Array<StoredEvent> = []
      for await (const answer of answers) {
        const { event } = decodeReadAnswer(answer)
        if (event !== undefined) events.push(event)
      }
      const error = failure()
      if (error !== undefined) throw error
      return events
    } finally {
      signal.removeEventListener("abort", cancel)
      // Without this, the server would continue to send after an error in this function.
      answers.cancel()
    }
  })

/** The answer to a read. Both are undefined in answers without an event, such as "caught up". */
export interface ReadAnswer {
  readonly event: StoredEvent | undefined
  /** Where a subscription that found no event of ours may continue. */
  readonly checkpoint: Position | undefined
}

/** An event that the server itself wrote into a stream, such as `$streamDeleted`. */
export interface SystemEvent extends Pick<RecordedEvent, "type" | "stream" | "position" | "revision"> {
  readonly isOfServer: true
}

export type StoredEvent = RecordedEvent | SystemEvent

export const isSystemEvent = (event: StoredEvent): event is SystemEvent => "isOfServer" in event
export const isOwnEvent = (event: StoredEvent): event is RecordedEvent => !isSystemEvent(event)

/** Decodes a `ReadResp`. Throws `UnreadableEvent` for an event that no version of this service can have written. */
export const decodeReadAnswer = (bytes: Buffer): ReadAnswer => {
  const answer = new MessageReader(bytes)
  let event: StoredEvent | undefined
  let checkpoint: Position | undefined
  while (answer.next()) {
    if (answer.field === ReadResp.event) {
      const read = answer.message()
      while (read.next()) if (read.field === ReadEvent.event) event = recordedEvent(read.message())
    } else if (answer.field === ReadResp.checkpoint) {
      checkpoint = positionIn(answer.message())
    }
  }
  return { event, checkpoint }
}

const recordedEvent = (event: MessageReader): StoredEvent => {
  let [id, stream, type, contentType, created] = ["", "", "", "", "0"]
  let revision = 0
  let [commit, prepare] = [0n, 0n]
  let [data, metadata]: Array<string | undefined> = []
  while (event.next()) {
    switch (event.field) {
      case Recorded.id:
        id = textIn(event.message(), UUID.string)
        break
      case Recorded.stream:
        stream = textIn(event.message(), StreamIdentifier.name)
        break
      case Recorded.revision:
        revision = event.number()
        break
      case Recorded.prepare:
        prepare = event.bigint()
        break
      case Recorded.commit:
        commit = event.bigint()
        break
      case Recorded.properties: {
        const [name, value] = propertyIn(event.message())
        if (name === "type") type = value
        else if (name === "content-type") contentType = value
        else if (name === "created") created = value
        break
      }
      case Recorded.metadata:
        metadata = event.text()
        break
      case Recorded.data:
        data = event.text()
    }
  }
  const unreadable = (fault: string) => new UnreadableEvent(`event ${revision} of ${stream} has ${fault}`)
  // A server before 22.6 returns no position for an event of a stream.
  if (commit === NO_POSITION) throw unreadable("no position")
  if (type.startsWith("$")) return { type, stream, revision, position: { commit, prepare }, isOfServer: true }
  if (contentType !== "application/json") throw unreadable("data that is not JSON")
  const object = (name: string, text: string | undefined): JsonObject => {
    const value = parse(text)
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
    if (!isObject) throw unreadable(`${name} that is no JSON object`)
    return value as JsonObject
  }
  return {
    id,
    type,
    data: object("data", data),
    metadata: object("metadata", metadata) as EventMetadata & JsonObject,
    stream,
    revision,
    position: { commit, prepare },
    // The server counts ticks of 100 ns: more digits than a number has.
    recordedAt: Number(created.slice(0, -4))
  }
}

// The numbers of the fields in streams.proto and shared.proto.
const ReadResp = { event: 1, checkpoint: 3 } as const
const ReadEvent = { event: 1 } as const
const Recorded = { id: 1, stream: 2, revision: 3, prepare: 4, commit: 5, properties: 6, metadata: 7, data: 8 } as const
export const UUID = { string: 2 } as const
export const StreamIdentifier = { name: 3 } as const

const NO_POSITION = 2n ** 64n - 1n

/** A text field of a message; empty when it is absent. */
export const textIn = (message: MessageReader, field: number): string => {
  let text = ""
  while (message.next()) if (message.field === field) text = message.text()
  return text
}

/** An entry of a map from text to text. */
const propertyIn = (entry: MessageReader): readonly [name: string, value: string] => {
  let [name, value] = ["", ""]
  while (entry.next()) {
    if (entry.field === 1) name = entry.text()
    else if (entry.field === 2) value = entry.text()
  }
  return [name, value]
}

/** Both numbers of a position in a message, such as a checkpoint. */
export const positionIn = (message: MessageReader): Position => {
  let [commit, prepare] = [0n, 0n]
  while (message.next()) {
    if (message.field === 1) commit = message.bigint()
    else if (message.field === 2) prepare = message.bigint()
  }
  return { commit, prepare }
}

const parse = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? "")
  } catch {
    return undefined
  }
}

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
