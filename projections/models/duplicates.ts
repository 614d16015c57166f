import { Schema } from "effect"
import { slips, verifications } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"
import type { Projection } from "../engine/projection.ts"
import { OrderedSet, Table } from "../engine/read-model.ts"

/**
 * The read model `duplicates`: the streams in which a slip was verified, and the stream of each verification. The
 * slip's stream decides what is a duplicate; this model is only an index.
 */
export const duplicatesModel = { name: "duplicates", version: 5 } as const

/**
 * By verification id: the stream and the revision of its event. The stream is the slip's, or that of a failed
 * verification.
 */
export const verificationRows = new Table(
  duplicatesModel,
  "verifications",
  Schema.Struct({ stream: Schema.String, revision: Schema.Int })
)

/** Streams in which one slip was verified or not found, across services, scored by the latest time in milliseconds. */
export const streamsOfSlip = (slipDigest: string) => new OrderedSet(duplicatesModel, `slip:${slipDigest}`)

const indexed = (
  { metadata: { at }, revision, stream }: RecordedEvent,
  verificationId: string,
  slipDigest: string | null
): ReadonlyArray<Write> => [
  verificationRows.set(verificationId, { stream, revision }),
  ...(slipDigest === null ? [] : [streamsOfSlip(slipDigest).add(stream, at)])
]

const writes = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const { stream } = recorded
  if (stream.startsWith("verification-")) {
    const { slipDigest, verificationId } = verifications.codec.decode(recorded)
    return indexed(recorded, verificationId, slipDigest)
  }
  return indexed(recorded, slips.codec.decode(recorded).verificationId, stream.slice(stream.lastIndexOf("-") + 1))
}

export const duplicatesProjection: Projection = {
  ...duplicatesModel,
  streams: ["slip-", "verification-"],
  when: writes
}
