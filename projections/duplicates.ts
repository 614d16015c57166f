import { requests, reveals, slips, verifications } from "../application/aggregates.ts"
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

const around = (ids: ReadonlyArray<string>, { metadata, stream }: RecordedEvent): ReadonlyArray<Write> =>
  ids.map((id) =>
    ({ _tag: "AddMember", set: duplicatesSets.around(id), member: stream, score: Date.parse(metadata.at) }))

const ofRequest = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const event = requests.codec.decode(recorded)
  return event._tag === "RequestBegun" ? around([event.subjectId], recorded) : []
}

const ofReveal = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const { branchId, subject } = reveals.codec.decode(recorded)
  return around([subject?.id, branchId].filter((id) => typeof id === "string"), recorded)
}

const writes = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  if (recorded.stream.startsWith("request-")) return ofRequest(recorded)
  if (recorded.stream.startsWith("reveal-")) return ofReveal(recorded)
  if (recorded.stream.startsWith("verification-")) {
    const { branchId, slipDigest, verificationId } = verifications.codec.decode(recorded)
    return placed(recorded, verificationId, branchId, slipDigest)
  }
  const event = slips.codec.decode(recorded)
  const digest = recorded.stream.slice(recorded.stream.lastIndexOf("-") + 1)
  return placed(recorded, event.verificationId, event.branchId, digest)
}

/**
 * Every slip that was asked for, and where each verification of it, by whomever, stands in the log; and who sent it with
 * an Idempotency-Key, or looked at its personal data.
 */
export const duplicatesProjection: Projection = {
  ...duplicatesModel,
  streams: ["slip-", "verification-", "request-", "reveal-"],
  when: writes
}
