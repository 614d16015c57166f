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
export const duplicatesModel = { name: "duplicates", version: 6 } as const

/**
 * By verification id: the stream and the revision of its event. The stream is the slip's, or that of a failed
 * verification.
 */
export const verificationRows = new Table(
  duplicatesModel,
  "verifications",
  Schema.Struct({ stream: Schema.String, revision: Schema.Int })
)

/** The streams of one slip, one in each service that verified it, scored by the latest time in milliseconds. */
export const streamsOfSlip = (slipDigest: string) => new OrderedSet(duplicatesModel, `slip:${slipDigest}`)

/** The streams of failed verifications of one slip, scored by time in milliseconds. */
export const failuresOfSlip = (slipDigest: string) => new OrderedSet(duplicatesModel, `failed:${slipDigest}`)

/**
 * The branches that verified a slip after another branch of the service had verified it, scored by the revision of the
 * event that charged each. The branch of the first event is not a member.
 */
export const laterHolders = (stream: string) => new OrderedSet(duplicatesModel, `holders:${stream}`)

const indexed = ({ revision, stream }: RecordedEvent, verificationId: string): Write =>
  verificationRows.set(verificationId, { stream, revision })

const ofFailure = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const { slipDigest, verificationId } = verifications.codec.decode(recorded)
  const { metadata: { at }, stream } = recorded
  return [
    indexed(recorded, verificationId),
    ...(slipDigest === null ? [] : [failuresOfSlip(slipDigest).add(stream, at)])
  ]
}

const ofSlip = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const event = slips.codec.decode(recorded)
  const { metadata: { at }, revision, stream } = recorded
  return [
    indexed(recorded, event.verificationId),
    streamsOfSlip(stream.slice(stream.lastIndexOf("-") + 1)).add(stream, at),
    ...(event._tag === "SlipVerifiedAgain" && event.charged ? [laterHolders(stream).add(event.branchId, revision)] : [])
  ]
}

export const duplicatesProjection: Projection = {
  ...duplicatesModel,
  streams: ["slip-", "verification-"],
  when: (recorded) => recorded.stream.startsWith("slip-") ? ofSlip(recorded) : ofFailure(recorded)
}
