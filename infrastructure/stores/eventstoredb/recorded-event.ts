import { Buffer } from "node:buffer"
import type { ReadResp } from "@eventstore/db-client/generated/streams_pb.js"
import type { EventMetadata, JsonObject, RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { positionOf } from "./append-outcome.ts"
import { UnreadableEvent } from "./store-error.ts"

/**
 * The event in an answer to a read; undefined in the other answers, such as checkpoints. Throws `UnreadableEvent` for
 * one that no version of this service can have written.
 */
export const recordedEventOf = (response: ReadResp): RecordedEvent | undefined => {
  const event = response.getEvent()?.getEvent()
  if (event === undefined) return undefined
  const stream = Buffer.from(event.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString("utf8")
  const revision = Number(event.getStreamRevision())
  const about = event.getMetadataMap()
  const position = positionOf(event)
  const unreadable = (what: string) => new UnreadableEvent(`event ${revision} of ${stream} has ${what}`)
  // What a server before 22.6 gives for an event of a stream.
  if (position.commit === NO_POSITION) throw unreadable("no position")
  if (about.get("content-type") !== "application/json") throw unreadable("data that is not JSON")
  const object = (name: string, bytes: Uint8Array): JsonObject => {
    const value = parse(bytes)
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value)
    if (!isObject) throw unreadable(`${name} that is no JSON object`)
    return value as JsonObject
  }
  return {
    id: event.getId()?.getString() ?? "",
    type: about.get("type") ?? "",
    data: object("data", event.getData_asU8()),
    metadata: object("metadata", event.getCustomMetadata_asU8()) as EventMetadata & JsonObject,
    stream,
    revision,
    position,
    // In ticks of 100 ns.
    recordedAt: Number(BigInt(about.get("created") ?? 0) / 10_000n)
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
