import { isRequestId } from "../../../../domain/ids.ts"
import { Schema } from "effect"
import { CallbackListState } from "../../../../domain/callback.ts"
import { JobStatus } from "../../../../domain/job.ts"
import { Interval } from "../../../../domain/time.ts"
import { expected, field, flag, Host, IsoTime, OperatorId, order, text } from "../values.ts"
import { inOrder, timeRange, writtenTime } from "./time-range.ts"

/** The filter for listing jobs. */
export const JobQuery = Schema.Struct({
  state: field(JobStatus, "Only jobs in this state."),
  branch: field(OperatorId, "Only jobs of this branch."),
  since: field(IsoTime, "As `from`. A day without a time begins in UTC."),
  ...timeRange("the time at which the job came into its state"),
  order: order("oldest")
}).check(inOrder)

/** The filter for listing callbacks. */
export const CallbackQuery = Schema.Struct({
  state: field(CallbackListState, "Only callbacks in this state."),
  host: field(Host, "Only callbacks to this host."),
  ...timeRange("the time at which it is due or ended"),
  order: order("oldest")
}).check(inOrder)

/** The callbacks to send again: exactly one of `{jobId}`, `{host}` and `{from, to}` (docs/spec/http.md, "Admin API"). */
export const RedeliveryRequest = Schema.Struct({
  jobId: field(OperatorId, "The callback of this job, whatever its state."),
  host: field(Host, "What this host rejected, and what was abandoned there."),
  from: field(IsoTime, "With `to`: what was rejected or abandoned from then on."),
  to: field(IsoTime, "With `from`: up to then.")
}).annotate({ identifier: "RedeliveryRequest" })

/** Whether a text is `BANK:TRANSREF`. */
export const isSlipName = (value: string): boolean => /^[^\s:]+:[^\s:]+$/u.test(value)

const SlipName = Schema.String.check(expected(isSlipName, "BANK:TRANSREF, such as 004:013071152533APM07736"))

/** The slip or job whose personal data to erase, and the reason. The log stores the reason unencrypted. */
export const ErasureRequest = Schema.Struct({
  slip: field(SlipName, "`BANK:TRANSREF`, such as 004:013071152533APM07736, with all its jobs."),
  job: field(OperatorId, "A job, with the slip that it read."),
  reason: field(Schema.NullOr(text(500)), "Why, for the trail. It is stored in the clear.")
}).annotate({ identifier: "ErasureRequest" })

/** What operators search for (docs/spec/http.md, "Search"). */
export const FindQuery = Schema.Struct({
  q: text(512).pipe(
    Schema.annotateKey({
      description:
        "An id, a slip as `BANK:REFERENCE`, a whole reference or its last six characters, the name of a service "
        + "or branch or a part of it, a host of callbacks, an amount of baht, or a remark."
    })
  )
})

const RequestId = Schema.String.check(
  expected(isRequestId, "the X-Request-Id of an answer or of a request, unchanged")
)

/** The subjects of trails. */
export const subjectFields = {
  job: field(OperatorId, "The trail of this job."),
  slip: field(SlipName, "The trail of this slip, as `BANK:TRANSREF`."),
  verification: field(OperatorId, "The trail of this verification."),
  branch: field(OperatorId, "The trail of this branch."),
  request: field(
    RequestId,
    "What the request with this `X-Request-Id` led to: the id of its answer, or the id that its caller sent."
  )
}

export const SubjectQuery = Schema.Struct(subjectFields)

/** The trail to show, and its last moment (docs/spec/http.md, "Trail query"). */
export const TrailQuery = Schema.Struct({
  ...subjectFields,
  at: field(
    writtenTime("last"),
    "The moment of the state, and the last moment of the events. Without an offset it is the time of "
      + "Bangkok; a day stands for its end there."
  ),
  reveal: flag("`true` opens sealed data and appends a disclosure event first. Refused with `request`."),
  masked: flag("`true` shows names and account numbers masked where they are sealed otherwise. Refused with `reveal`.")
})

/** The time, and the service or branch, of statistics. */
export const StatisticsQuery = Schema.Struct({
  from: field(writtenTime("first"), "The first hour. The beginning of the day of `to` in Bangkok by default."),
  to: field(writtenTime("last"), "The last hour; now by default. At most 92 days after `from`."),
  interval: field(Interval, "The length of a period: an `hour` by default, or a `day` in Bangkok."),
  service: field(OperatorId, "Only the branches of this service."),
  branch: field(OperatorId, "Only this branch.")
}).check(inOrder)
