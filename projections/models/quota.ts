import type { JobEvent } from "../../domain/job.ts"
import { jobs, slips } from "../../domain/events/aggregates.ts"
import { quotaModel, quotaSets } from "./quota-rows.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"
import type { Projection } from "../engine/projection.ts"

interface Unit {
  readonly branchId: string
  readonly month: string
}

const taken = ({ branchId, month }: Unit, id: string, recorded: RecordedEvent): ReadonlyArray<Write> => [
  { _tag: "AddMember", set: quotaSets.month(branchId, month), member: id, score: Date.parse(recorded.metadata.at) },
  { _tag: "AddMember", set: quotaSets.months(branchId), member: month, score: Number(month.replace("-", "")) }
]

const givenBack = ({ branchId, month }: Unit, id: string): ReadonlyArray<Write> => [
  { _tag: "RemoveMember", set: quotaSets.month(branchId, month), member: id }
]

/** A job holds its unit from the moment it is accepted; the slip's own charge is under the same id and counts once. */
const ofJob = (event: JobEvent, recorded: RecordedEvent): ReadonlyArray<Write> => {
  switch (event._tag) {
    case "VerificationEnqueued":
      return event.charged ? taken(event, event.jobId, recorded) : []
    case "VerificationAttemptFailed":
      return []
    case "JobSucceeded":
      return event.charged ? [] : givenBack(event, event.jobId)
    case "JobNotFound":
      return givenBack(event, event.jobId)
  }
}

const writes = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  if (recorded.stream.startsWith("job-")) return ofJob(jobs.codec.decode(recorded), recorded)
  const event = slips.codec.decode(recorded)
  return event.charged ? taken(event, event.verificationId, recorded) : []
}

/** What every branch was charged, month by month. Members, not counters: counting one charge twice is impossible. */
export const quotaProjection: Projection = { ...quotaModel, streams: ["slip-", "job-"], when: writes }
