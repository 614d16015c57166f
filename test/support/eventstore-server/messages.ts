import shared from "@eventstore/db-client/generated/shared_pb.js"
import streams from "@eventstore/db-client/generated/streams_pb.js"
import type { StreamIdentifier } from "@eventstore/db-client/generated/shared_pb.js"
import type { BatchAppendReq, ReadResp } from "@eventstore/db-client/generated/streams_pb.js"
import { status } from "@grpc/grpc-js"
import type { Logged, LogPosition, Proposed } from "./log.ts"
import { refusal } from "./refusal.ts"

/** In bytes. The default of the server. */
export const MAX_APPEND = 1024 * 1024

export const sizeOf = (events: ReadonlyArray<Proposed>): number =>
  events.reduce((bytes, { data, metadata, type }) => bytes + data.length + metadata.length + type.length * 2, 0)

export const nameOf = (identifier: StreamIdentifier | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString("utf8")

export const identifierOf = (stream: string) => {
  const identifier = new shared.StreamIdentifier()
  identifier.setStreamName(Buffer.from(stream, "utf8"))
  return identifier
}

/** Throws the server's error for an event without type or content type. */
export const proposedOf = (
  message: BatchAppendReq.ProposedMessage | undefined
): Proposed => {
  const properties = message?.getMetadataMap()
  const [type, contentType] = [properties?.get("type"), properties?.get("content-type")]
  if (message === undefined || !type || !contentType) {
    throw refusal(status.INVALID_ARGUMENT, "Required Metadata Property missing", {
      exception: "missing-required-metadata-property",
      "required-metadata-properties": "type,content-type"
    })
  }
  const id = message.getId()?.getString() ?? ""
  return { id, type, contentType, data: message.getData_asU8(), metadata: message.getCustomMetadata_asU8() }
}

/** Sets both numbers on any message that has them. */
export const setPosition = <
  Message extends {
    setCommitPosition(value: string): unknown
    setPreparePosition(value: string): unknown
  }
>(message: Message, { commit, prepare }: LogPosition): Message => {
  message.setCommitPosition(String(commit))
  message.setPreparePosition(String(prepare))
  return message
}

export const eventMessage = (logged: Logged): ReadResp => {
  const event = setPosition(new streams.ReadResp.ReadEvent.RecordedEvent(), logged.position)
  const id = new shared.UUID()
  id.setString(logged.id)
  event.setId(id)
  event.setStreamIdentifier(identifierOf(logged.stream))
  event.setStreamRevision(String(logged.revision))
  event.setData(logged.data)
  event.setCustomMetadata(logged.metadata)
  event.getMetadataMap()
    .set("type", logged.type)
    .set("content-type", logged.contentType)
    .set("created", String(logged.created))
  const read = new streams.ReadResp.ReadEvent()
  read.setEvent(event)
  read.setCommitPosition(String(logged.position.commit))
  return answer((response) => response.setEvent(read))
}

export const checkpointMessage = ({ position }: Logged): ReadResp =>
  answer((response) => response.setCheckpoint(setPosition(new streams.ReadResp.Checkpoint(), position)))

export const confirmationMessage = (subscriptionId: string): ReadResp =>
  answer((response) => {
    const confirmation = new streams.ReadResp.SubscriptionConfirmation()
    confirmation.setSubscriptionId(subscriptionId)
    response.setConfirmation(confirmation)
  })

export const caughtUpMessage = (): ReadResp =>
  answer((response) => response.setCaughtUp(new streams.ReadResp.CaughtUp()))

export const notFoundMessage = (stream: string): ReadResp =>
  answer((response) => {
    const notFound = new streams.ReadResp.StreamNotFound()
    notFound.setStreamIdentifier(identifierOf(stream))
    response.setStreamNotFound(notFound)
  })

const answer = (fill: (response: ReadResp) => void): ReadResp => {
  const response = new streams.ReadResp()
  fill(response)
  return response
}
