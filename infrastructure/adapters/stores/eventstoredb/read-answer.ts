import type { Buffer } from "node:buffer"
import type { EventMetadata, JsonObject, Position, RecordedEvent } from "../../../../domain/events/recorded-event.ts"
import { MessageReader } from "./protobuf.ts"
import { UnreadableEvent } from "./store-error.ts"

/** The answer to a read. An answer such as "caught up" has nothing of this. */
export interface ReadAnswer {
  readonly event: StoredEvent | undefined
  /** Where a subscription that found no event of ours may continue. */
  readonly checkpoint: Position | undefined
  /** There is no such stream. */
  readonly isNotFound: boolean
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
  let isNotFound = false
  while (answer.next()) {
    if (answer.field === ReadResp.event) {
      const read = answer.message()
      while (read.next()) if (read.field === ReadEvent.event) event = recordedEvent(read.message())
    } else if (answer.field === ReadResp.checkpoint) {
      checkpoint = positionIn(answer.message())
    } else if (answer.field === ReadResp.streamNotFound) {
      isNotFound = true
    }
  }
  return { event, checkpoint, isNotFound }
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
const ReadResp = { event: 1, checkpoint: 3, streamNotFound: 4 } as const
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
