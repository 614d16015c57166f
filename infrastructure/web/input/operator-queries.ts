import {
  CallbackQuery,
  ErasureRequest,
  FindQuery,
  JobQuery,
  RedeliveryRequest,
  type SubjectQuery,
  type TrailQuery
} from "../api/requests/operator-queries.ts"
import { Effect } from "effect"
import type { Redelivery } from "../../../application/callbacks/redeliver-callbacks.ts"
import type { ErasureSubject } from "../../../application/erasure/erase-slip.ts"
import type { TrailRequest, TrailSubject } from "../../../application/trail/trail.ts"
import { decodeFields, type Fields, invalid, type InvalidInput } from "./decode.ts"

export const jobFilter = ({ branch: branchId, from, order, since, state, to }: typeof JobQuery.Type) => ({
  state,
  branchId,
  order,
  from: since === undefined ? from : Math.max(Date.parse(since), from ?? -Infinity),
  to
})

const redeliveryOf = (
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

export const partsOf = (slip: string) => {
  const [sendingBank = "", transRef = ""] = slip.split(":")
  return { sendingBank, transRef }
}

export interface ErasureInput {
  readonly subject: ErasureSubject
  readonly reason: string | null
}

const erasureOf = (
  { job, reason = null, slip }: typeof ErasureRequest.Type
): Effect.Effect<ErasureInput, InvalidInput> => {
  if (slip !== undefined && job === undefined) {
    return Effect.succeed({ subject: { _tag: "Slip", ...partsOf(slip) }, reason })
  }
  return job !== undefined && slip === undefined
    ? Effect.succeed({ subject: { _tag: "Job", jobId: job }, reason })
    : Effect.fail(invalid({ path: "", message: "Give exactly one of slip and job" }))
}

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

/** The same decoders for the flags of commands and the forms of the console. */
const decodeJobQuery = decodeFields(JobQuery)
export const decodeJobFilter = (fields: Fields) => Effect.map(decodeJobQuery(fields), jobFilter)
export const decodeFind = decodeFields(FindQuery)
export const decodeCallbackFilter = decodeFields(CallbackQuery)
const decodeRedeliveryRequest = decodeFields(RedeliveryRequest)
export const decodeRedelivery = (fields: Fields) => Effect.flatMap(decodeRedeliveryRequest(fields), redeliveryOf)
const decodeErasureRequest = decodeFields(ErasureRequest)
export const decodeErasure = (fields: Fields) => Effect.flatMap(decodeErasureRequest(fields), erasureOf)
