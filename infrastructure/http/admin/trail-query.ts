import { Effect, Schema, SchemaTransformation } from "effect"
import type { TrailRequest, TrailSubject } from "../../../application/trail/trail-subject.ts"
import { readMoment } from "../../../domain/moment.ts"
import { invalid } from "../api/api-error.ts"
import type { Fields } from "../body.ts"
import { decodeFields } from "../decode-fields.ts"
import { isRequestId } from "../endpoint.ts"
import { Id } from "./fields.ts"

/** A moment as a person writes it, in milliseconds; a day stands for its last one. */
const MomentOfTrail = Schema.String.check(
  Schema.makeFilter((text: string) =>
    readMoment(text, "last") !== undefined
    || "Expected a time such as 2026-11-21T15:45:00+07:00, or in Bangkok: 2026-11-21 15:45, or 2026-11-21 for its end"
  )
).pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({
      decode: (text) => readMoment(text, "last")?.at ?? 0,
      encode: (at) => new Date(at).toISOString()
    })
  )
)

/** A slip by its sending bank and reference. */
export const Slip = Schema.String.check(
  Schema.makeFilter((text: string) =>
    /^[^\s:]+:[^\s:]+$/u.test(text) || "Expected BANK:TRANSREF, such as 004:013071152533APM07736"
  )
)

/** A request by its `X-Request-Id`, of any of the shapes that one has. */
export const RequestId = Schema.String.check(
  Schema.makeFilter((text: string) => isRequestId(text) || "Expected the X-Request-Id of an answer, as it stood there")
)

const decode = decodeFields(Schema.Struct({
  job: Schema.optionalKey(Id),
  slip: Schema.optionalKey(Slip),
  verification: Schema.optionalKey(Id),
  branch: Schema.optionalKey(Id),
  request: Schema.optionalKey(RequestId),
  at: Schema.optionalKey(MomentOfTrail),
  reveal: Schema.optionalKey(Schema.Literals(["true", "false"]))
}))

type Query = Effect.Success<ReturnType<typeof decode>>

const subjectsIn = ({ branch, job, slip, verification }: Query): ReadonlyArray<TrailSubject> => {
  const [sendingBank = "", transRef = ""] = slip?.split(":") ?? []
  return [
    ...(job === undefined ? [] : [{ _tag: "Job", id: job } as const]),
    ...(slip === undefined ? [] : [{ _tag: "Slip", sendingBank, transRef } as const]),
    ...(verification === undefined ? [] : [{ _tag: "Verification", id: verification } as const]),
    ...(branch === undefined ? [] : [{ _tag: "Branch", id: branch } as const])
  ]
}

const requestIn = ({ request }: Query): ReadonlyArray<TrailRequest> =>
  request === undefined ? [] : [{ _tag: "Request", id: request }]

const only = <A>([one, ...others]: ReadonlyArray<A>) =>
  one === undefined || others.length > 0
    ? Effect.fail(invalid({ path: "", message: "Give exactly one of job, slip, verification, branch and request" }))
    : Effect.succeed(one)

/** Whose trail is asked for, as the flags of a command say it. */
export const decodeTrailSubject = Effect.fnUntraced(function* (fields: Fields) {
  return yield* only(subjectsIn(yield* decode(fields)))
})

/**
 * Whose trail is asked for, or that of which request, and up to when, as the query of a request or the flags of a
 * command say it (docs/spec/http.md, "Trail query"). `at` is in milliseconds, undefined for all of it.
 */
export const decodeTrailQuery = Effect.fnUntraced(function* (fields: Fields) {
  const query = yield* decode(fields)
  const subject = yield* only<TrailSubject | TrailRequest>([...subjectsIn(query), ...requestIn(query)])
  return { subject, at: query.at, isRevealed: query.reveal === "true" }
})
