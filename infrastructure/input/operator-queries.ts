import { Effect, Schema } from "effect"
import { CallbackListState } from "../../application/callbacks/list-callbacks.ts"
import type { Redelivery } from "../../application/callbacks/redeliver-callbacks.ts"
import type { ErasureSubject } from "../../application/erasure/erase-slip.ts"
import type { TrailRequest, TrailSubject } from "../../application/trail/trail.ts"
import { Order } from "../../projections/engine/page.ts"
import { JobStatus } from "../../projections/models/jobs.ts"
import { isRequestId } from "../telemetry/trace-ids.ts"
import { decodeFields, type Fields, invalid, type InvalidInput, text } from "./decode.ts"
import { Host, IsoTime, OperatorId } from "./operator-requests.ts"
import { inOrder, timeRange, writtenTime } from "./time-range.ts"

/** An optional field; the description is that of its key. */
export const field = <S extends Schema.Constraint>(schema: S, description: string) =>
  Schema.optionalKey(schema).pipe(Schema.annotateKey({ description }))

/** The order of a list, with its default. */
export const order = (first: Order) =>
  field(
    Order,
    first === "oldest"
      ? "Which entries come first, by their time: the `oldest` by default, or the `newest`."
      : "Which entries come first, by their time: the `newest` by default, or the `oldest`."
  )

/** The filter for listing jobs. */
export const JobQuery = Schema.Struct({
  state: field(JobStatus, "Only jobs in this state."),
  branch: field(OperatorId, "Only jobs of this branch."),
  since: field(IsoTime, "As `from`. A day without a time begins in UTC."),
  ...timeRange("the time at which the job came into its state"),
  order: order("oldest")
}).check(inOrder)

export const jobFilter = ({ branch: branchId, from, order, since, state, to }: typeof JobQuery.Type) => ({
  state,
  branchId,
  order,
  from: since === undefined ? from : Math.max(Date.parse(since), from ?? -Infinity),
  to
})

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

export const redeliveryOf = (
  { from, host, jobId, to }: typeof RedeliveryRequest.Type
): Effect.Effect<Redelivery, InvalidInput> => {
  const isPeriod = from !== undefined || to !== undefined
  if ([jobId !== undefined, host !== undefined, isPeriod].filter(Boolean).length !== 1) {
    return Effect.fail(invalid({ path: "", message: "Give exactly one of jobId, host, or from and to" }))
  }
  if (jobId !== undefined) return Effect.succeed({ _tag: "OfJob", jobId })
  if (host !== undefined) return Effect.succeed({ _tag: "AtHost", host })
  if (from === undefined) return Effect.fail(invalid({ path: "from", message: "Expected together with to" }))
  if (to === undefined) return Effect.fail(invalid({ path: "to", message: "Expected together with from" }))
  return to < from
    ? Effect.fail(invalid({ path: "to", message: "Expected a time that is not before from" }))
    : Effect.succeed({ _tag: "Between", from: Date.parse(from), to: Date.parse(to) })
}

/** Whether a text is `BANK:TRANSREF`. */
export const isSlipName = (value: string): boolean => /^[^\s:]+:[^\s:]+$/u.test(value)

const SlipName = Schema.String.check(
  Schema.makeFilter((value: string) => isSlipName(value) || "Expected BANK:TRANSREF, such as 004:013071152533APM07736")
)

export const partsOf = (slip: string) => {
  const [sendingBank = "", transRef = ""] = slip.split(":")
  return { sendingBank, transRef }
}

/** The slip or job whose personal data to erase, and the reason. The log stores the reason unencrypted. */
export const ErasureRequest = Schema.Struct({
  slip: field(SlipName, "`BANK:TRANSREF`, such as 004:013071152533APM07736, with all its jobs."),
  job: field(OperatorId, "A job, with the slip that it read."),
  reason: Schema.optionalKey(
    Schema.NullOr(text(500)).annotate({ description: "Why, for the trail. It is stored in the clear." })
  )
}).annotate({ identifier: "ErasureRequest" })

export interface ErasureInput {
  readonly subject: ErasureSubject
  readonly reason: string | null
}

export const erasureOf = (
  { job, reason = null, slip }: typeof ErasureRequest.Type
): Effect.Effect<ErasureInput, InvalidInput> => {
  if (slip !== undefined && job === undefined) {
    return Effect.succeed({ subject: { _tag: "Slip", ...partsOf(slip) }, reason })
  }
  return job !== undefined && slip === undefined
    ? Effect.succeed({ subject: { _tag: "Job", jobId: job }, reason })
    : Effect.fail(invalid({ path: "", message: "Give exactly one of slip and job" }))
}

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
  Schema.makeFilter((value: string) =>
    isRequestId(value) || "Expected the X-Request-Id of an answer or of a request, unchanged"
  )
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

const SubjectQuery = Schema.Struct(subjectFields)

/** The trail to show, and its last moment (docs/spec/http.md, "Trail query"). */
export const TrailQuery = Schema.Struct({
  ...subjectFields,
  at: field(
    writtenTime("last"),
    "The moment of the state, and the last moment of the events. Without an offset it is the time of "
      + "Bangkok; a day stands for its end there."
  ),
  reveal: field(
    Schema.Literals(["true", "false"]),
    "`true` opens sealed data and appends a disclosure event first. Refused with `request`."
  ),
  masked: field(
    Schema.Literals(["true", "false"]),
    "`true` shows names and account numbers masked where they are sealed otherwise. Refused with `reveal`."
  )
})

const subjectsIn = ({ branch, job, slip, verification }: typeof SubjectQuery.Type): ReadonlyArray<TrailSubject> => [
  ...(job === undefined ? [] : [{ _tag: "Job", id: job } as const]),
  ...(slip === undefined ? [] : [{ _tag: "Slip", ...partsOf(slip) } as const]),
  ...(verification === undefined ? [] : [{ _tag: "Verification", id: verification } as const]),
  ...(branch === undefined ? [] : [{ _tag: "Branch", id: branch } as const])
]

const requestIn = ({ request }: typeof SubjectQuery.Type): ReadonlyArray<TrailRequest> =>
  request === undefined ? [] : [{ _tag: "Request", id: request }]

/** Every subject and request that a query names. */
export const subjectsOf = (query: typeof SubjectQuery.Type): ReadonlyArray<TrailSubject | TrailRequest> => [
  ...subjectsIn(query),
  ...requestIn(query)
]

const exactlyOne = <A>([first, ...others]: ReadonlyArray<A>) =>
  first === undefined || others.length > 0
    ? Effect.fail(invalid({ path: "", message: "Give exactly one of job, slip, verification, branch and request" }))
    : Effect.succeed(first)

/** The subject or request of a trail query. `at` is in milliseconds, undefined for the whole trail. */
export const trailQueryOf = (query: typeof TrailQuery.Type) =>
  Effect.gen(function* () {
    const subject = yield* exactlyOne(subjectsOf(query))
    const isRevealed = query.reveal === "true"
    const isMasked = query.masked === "true"
    if (isRevealed && isMasked) return yield* invalid({ path: "masked", message: "Not possible together with reveal" })
    return { subject, at: query.at, isRevealed, isMasked }
  })

const decodeTrail = decodeFields(TrailQuery)

/** The same decoders for the flags of commands and the forms of the console. */
export const decodeTrailSubject = (fields: Fields) =>
  Effect.flatMap(decodeTrail(fields), (query) => exactlyOne(subjectsIn(query)))
export const decodeTrailQuery = (fields: Fields) => Effect.flatMap(decodeTrail(fields), trailQueryOf)
const decodeJobQuery = decodeFields(JobQuery)
export const decodeJobFilter = (fields: Fields) => Effect.map(decodeJobQuery(fields), jobFilter)
export const decodeFind = decodeFields(FindQuery)
export const decodeCallbackFilter = decodeFields(CallbackQuery)
const decodeRedeliveryRequest = decodeFields(RedeliveryRequest)
export const decodeRedelivery = (fields: Fields) => Effect.flatMap(decodeRedeliveryRequest(fields), redeliveryOf)
const decodeErasureRequest = decodeFields(ErasureRequest)
export const decodeErasure = (fields: Fields) => Effect.flatMap(decodeErasureRequest(fields), erasureOf)
