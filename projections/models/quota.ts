import { jobs, slips } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { JobEvent } from "../../domain/job.ts"
import type { Write } from "../../ports/read-models.ts"
import { decoded } from "../engine/decoded.ts"
import { modelName } from "../engine/model-name.ts"
import type { Projection } from "../engine/projection.ts"
import { OrderedSet } from "../engine/read-model.ts"

/** The read model `quota`: units that are charged, or held by a job that has not ended. */
export const quotaModel = { name: "quota", version: 2 } as const

export const quotaSets = {
  /** Verifications and jobs charged to a branch in a month (`yyyy-MM`), scored by time. Their number is the usage. */
  month: (branchId: string, month: string) => new OrderedSet(quotaModel, `month:${branchId}:${month}`),
  /** Months in which a branch was charged. */
  months: (branchId: string) => new OrderedSet(quotaModel, `months:${branchId}`)
} as const

/** For the engines that count the members of these sets. */
export const quotaNaming = { model: modelName(quotaModel) } as const

interface Unit {
  readonly branchId: string
  readonly month: string
}

const charged = ({ branchId, month }: Unit, id: string, recorded: RecordedEvent): ReadonlyArray<Write> => [
  quotaSets.month(branchId, month).add(id, recorded.metadata.at),
  quotaSets.months(branchId).add(month, Number(month.replace("-", "")))
]

const released = ({ branchId, month }: Unit, id: string): ReadonlyArray<Write> => [
  quotaSets.month(branchId, month).remove(id)
]

/** A job holds a unit from its acceptance. The charge of its slip has the same id, so both count once. */
const ofJob = (event: JobEvent, recorded: RecordedEvent): ReadonlyArray<Write> => {
  switch (event._tag) {
    case "VerificationEnqueued":
      return event.charged ? charged(event, event.jobId, recorded) : []
    case "VerificationAttemptFailed":
      return []
    case "JobSucceeded":
      return event.charged ? [] : released(event, event.jobId)
    case "JobNotFound":
      return released(event, event.jobId)
  }
}

const writes = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  if (recorded.stream.startsWith("job-")) return ofJob(decoded(jobs, recorded), recorded)
  const event = decoded(slips, recorded)
  return event.charged ? charged(event, event.verificationId, recorded) : []
}

/** Sets instead of counters: a charge that is projected twice counts once. */
export const quotaProjection: Projection = {
  ...quotaModel,
  streams: ["slip-", "job-"],
  isFirst: true,
  when: writes
}
