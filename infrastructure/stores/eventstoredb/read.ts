import { Buffer } from "node:buffer"
import shared from "@eventstore/db-client/generated/shared_pb.js"
import streams from "@eventstore/db-client/generated/streams_pb.js"
import type { ReadReq, ReadResp } from "@eventstore/db-client/generated/streams_pb.js"
import { type Cause, Effect } from "effect"
import {
  type EventMetadata,
  type JsonObject,
  type Position,
  type RecordedEvent
} from "../../../domain/events/recorded-event.ts"
import type { Connection } from "./connection.ts"
import { UnreadableEvent } from "./store-error.ts"

/** All events of a read; none when the stream does not exist. An interruption cancels the call. */
export const readEvents = (
  connection: Connection,
  request: ReadReq
): Effect.Effect<ReadonlyArray<RecordedEvent>, Cause.UnknownError> =>
  Effect.tryPromise(async (signal) => {
    const { answers, failure } = await connection.read(request)
    const cancel = () => answers.cancel()
    signal.addEventListener("abort", cancel)
    try {
      signal.throwIfAborted()
      const events: Array<RecordedEvent> = []
      for await (const answer of answers) {
        const event = recordedEventOf(answer)
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

/**
 * The event in an answer to a read; undefined in other answers, such as checkpoints. Throws `UnreadableEvent` for an
 * event that no version of this service can have written.
 */
export const recordedEventOf = (response: ReadResp): RecordedEvent | undefined => {
  const event = response.getEvent()?.getEvent()
  if (event === undefined) return undefined
  const stream = Buffer.from(event.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString("utf8")
  const revision = Number(event.getStreamRevision())
  const properties = event.getMetadataMap()
  const position = positionOf(event)
  const unreadable = (fault: string) => new UnreadableEvent(`event ${revision} of ${stream} has ${fault}`)
  // A server before 22.6 returns no position for an event of a stream.
  if (position.commit === NO_POSITION) throw unreadable("no position")
  if (properties.get("content-type") !== "application/json") throw unreadable("data that is not JSON")
  const object = (name: string, bytes: Uint8Array): JsonObject => {
    const value = parse(bytes)
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
    if (!isObject) throw unreadable(`${name} that is no JSON object`)
    return value as JsonObject
  }
  return {
    id: event.getId()?.getString() ?? "",
    type: properties.get("type") ?? "",
    data: object("data", event.getData_asU8()),
    metadata: object("metadata", event.getCustomMetadata_asU8()) as EventMetadata & JsonObject,
    stream,
    revision,
    position,
    // The server counts ticks of 100 ns.
    recordedAt: Number(BigInt(properties.get("created") ?? 0) / 10_000n)
  }
}

const NO_POSITION = 2n ** 64n - 1n

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"))
  } catch {
    return undefined
  }
}

/** Both numbers of a position in a message. */
export const positionOf = (position: {
  readonly getCommitPosition: () => string
  readonly getPreparePosition: () => string
}): Position => ({
  commit: BigInt(position.getCommitPosition()),
  prepare: BigInt(position.getPreparePosition())
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

/** The last event of streams with these prefixes. */
export const readLastRequest = (prefixes: ReadonlyArray<string>): ReadReq =>
  requestOf((options) => {
    const all = new Options.AllOptions()
    all.setEnd(new shared.Empty())
    options.setAll(all)
    options.setReadDirection(Options.ReadDirection.BACKWARDS)
    options.setCount("1")
    options.setFilter(filterOf(prefixes))
  })

/** Events of streams with these prefixes after a position, and every later append. */
export const subscribeRequest = (prefixes: ReadonlyArray<string>, after: Position): ReadReq =>
  requestOf((options) => {
    options.setAll(allFrom(after))
    options.setSubscription(new Options.SubscriptionOptions())
    options.setFilter(filterOf(prefixes))
  })

export const streamIdentifier = (stream: string) => {
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
