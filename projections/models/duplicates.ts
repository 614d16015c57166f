import { disclosures, requests, slips, verifications } from "../../domain/events/aggregates.ts"
import { duplicatesModel, duplicatesSets, duplicatesTables, ofRequest } from "./duplicates-rows.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"
import type { Projection } from "../engine/projection.ts"

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
  ids.map((id) => ({
    _tag: "AddMember",
    set: duplicatesSets.around(id),
    member: stream,
    score: Date.parse(metadata.at)
  }))

const aroundRequest = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const event = requests.codec.decode(recorded)
  return event._tag === "RequestBegun" ? around([event.subjectId], recorded) : []
}

const aroundReveal = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const { branchId, subject } = disclosures.codec.decode(recorded)
  return around([subject?.id, branchId].filter((id) => typeof id === "string"), recorded)
}

const ofSubject = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const { stream } = recorded
  if (stream.startsWith("request-")) return aroundRequest(recorded)
  if (stream.startsWith("reveal-")) return aroundReveal(recorded)
  if (stream.startsWith("verification-")) {
    const { branchId, slipDigest, verificationId } = verifications.codec.decode(recorded)
    return placed(recorded, verificationId, branchId, slipDigest)
  }
  if (stream.startsWith("slip-")) {
    const event = slips.codec.decode(recorded)
    return placed(recorded, event.verificationId, event.branchId, stream.slice(stream.lastIndexOf("-") + 1))
  }
  return []
}

/**
 * What goes on under the id of the request that a job began with: one event of the job says where all of it stands. It
 * is a request of its own that asks for a callback to be sent again.
 */
const goesOn = ({ stream, type }: RecordedEvent): boolean =>
  (stream.startsWith("job-") && type !== "VerificationEnqueued")
  || (stream.startsWith("callback-") && type !== "CallbackRedeliveryRequested")

const ledTo = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const { metadata: { correlationId }, stream } = recorded
  if (goesOn(recorded)) return []
  return [{ _tag: "AddMember", set: duplicatesSets.requests, member: ofRequest(correlationId, stream), score: 0 }]
}

/**
 * Every slip that was asked for, and where each verification of it, by whomever, stands in the log; who sent it with an
 * Idempotency-Key, or looked at its personal data; and what every request led to.
 */
export const duplicatesProjection: Projection = {
  ...duplicatesModel,
  streams: [
    "slip-",
    "verification-",
    "job-",
    "callback-",
    "request-",
    "reveal-",
    "forgotten-",
    "bankAccount-",
    "branch-",
    "service-",
    "account-"
  ],
  when: (recorded) => [...ofSubject(recorded), ...ledTo(recorded)]
}
