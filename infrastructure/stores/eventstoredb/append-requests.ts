import { Buffer } from "node:buffer"
import shared from "@eventstore/db-client/generated/shared_pb.js"
import streams from "@eventstore/db-client/generated/streams_pb.js"
import type { AppendReq, BatchAppendReq } from "@eventstore/db-client/generated/streams_pb.js"
import empty from "google-protobuf/google/protobuf/empty_pb.js"
import type { NewEvent } from "../../../domain/events/recorded-event.ts"
import type { ExpectedRevision } from "../../../ports/event-store.ts"
import { streamIdentifier } from "./read-requests.ts"

/** An append whose events are JSON texts already, so that they are made into text once and can be measured. */
export interface Append {
  readonly stream: string
  readonly expected: ExpectedRevision
  readonly events: ReadonlyArray<JsonEvent>
}

interface JsonEvent {
  readonly id: string
  readonly type: string
  readonly data: Buffer
  readonly metadata: Buffer
}

export const toAppend = (stream: string, expected: ExpectedRevision, events: ReadonlyArray<NewEvent>): Append => ({
  stream,
  expected,
  events: events.map(({ data, id, metadata, type }) => ({
    id,
    type,
    data: Buffer.from(JSON.stringify(data)),
    metadata: Buffer.from(JSON.stringify(metadata))
  }))
})

/** In bytes, as the server counts them against its limit. */
export const sizeOf = ({ events }: Append): number =>
  events.reduce((bytes, { data, metadata, type }) => bytes + data.length + metadata.length + type.length * 2, 0)

/** For the call that carries many appends; `correlationId` comes back with the answer. */
export const batchAppendRequest = (correlationId: string, { events, expected, stream }: Append): BatchAppendReq => {
  const options = new streams.BatchAppendReq.Options()
  options.setStreamIdentifier(streamIdentifier(stream))
  if (expected === "no-stream") options.setNoStream(new empty.Empty())
  else options.setStreamPosition(String(expected))
  const request = new streams.BatchAppendReq()
  request.setCorrelationId(uuid(correlationId))
  request.setOptions(options)
  request.setProposedMessagesList(events.map((event) => fill(new streams.BatchAppendReq.ProposedMessage(), event)))
  request.setIsFinal(true)
  return request
}

/** For a call of its own: the options, then the events one by one. */
export const appendRequests = ({ events, expected, stream }: Append): ReadonlyArray<AppendReq> => {
  const options = new streams.AppendReq.Options()
  options.setStreamIdentifier(streamIdentifier(stream))
  if (expected === "no-stream") options.setNoStream(new shared.Empty())
  else options.setRevision(String(expected))
  const head = new streams.AppendReq()
  head.setOptions(options)
  return [
    head,
    ...events.map((event) => {
      const request = new streams.AppendReq()
      request.setProposedMessage(fill(new streams.AppendReq.ProposedMessage(), event))
      return request
    })
  ]
}

type Proposed = AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage

const fill = <Message extends Proposed>(message: Message, { data, id, metadata, type }: JsonEvent): Message => {
  message.setId(uuid(id))
  message.getMetadataMap().set("type", type).set("content-type", "application/json")
  message.setData(data)
  message.setCustomMetadata(metadata)
  return message
}

const uuid = (id: string) => {
  const message = new shared.UUID()
  message.setString(id)
  return message
}
