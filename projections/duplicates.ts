import { slips, verifications } from "../application/aggregates.ts"
import { duplicatesModel, duplicatesSets, duplicatesTables } from "../application/models/duplicates.ts"
import type { RecordedEvent } from "../application/ports/event-store.ts"
import type { Write } from "../application/ports/read-models.ts"
import type { Projection } from "./projection.ts"

const placed = (
  recorded: RecordedEvent,
  verificationId: string,
  branchId: string,
  slipDigest: string | null
): ReadonlyArray<Write> => {
  const { metadata, stream } = recorded
  const score = Date.parse(metadata.at)
  const ofSlip: ReadonlyArray<Write> = slipDigest === null
    ? []
    : [{ _tag: "AddMember", set: duplicatesSets.ofSlip(slipDigest), member: stream, score }]
  return [
    { _tag: "SetFields", table: duplicatesTables.verifications, key: verificationId, fields: { stream } },
    { _tag: "AddMember", set: duplicatesSets.ofBranch(branchId), member: verificationId, score },
    ...ofSlip
  ]
}

const writes = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  if (recorded.stream.startsWith("verification-")) {
    const { branchId, slipDigest, verificationId } = verifications.codec.decode(recorded)
    return placed(recorded, verificationId, branchId, slipDigest)
  }
  const event = slips.codec.decode(recorded)
  const digest = recorded.stream.slice(recorded.stream.lastIndexOf("-") + 1)
  return placed(recorded, event.verificationId, event.branchId, digest)
}

/** Every slip that was asked for, and where each verification of it, by whomever, stands in the log. */
export const duplicatesProjection: Projection = {
  ...duplicatesModel,
  streams: ["slip-", "verification-"],
  when: writes
}
