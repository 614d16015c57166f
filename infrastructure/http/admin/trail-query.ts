import { Effect, Schema, SchemaTransformation } from "effect"
import type { TrailSubject } from "../../../application/queries/trail-subject.ts"
import { readMoment } from "../../../domain/moment.ts"
import { invalid } from "../api-error.ts"
import type { Fields } from "../body.ts"
import { decodeFields } from "../decode-fields.ts"
import { Id } from "./fields.ts"

/** A moment as a person writes it, in milliseconds; a day stands for its last one. */
const MomentOfTrail = Schema.String.check(
  Schema.makeFilter((text: string) =>
    readMoment(text, "last") !== undefined ||
    "Expected a time such as 2026-11-21T15:45:00+07:00, or in Bangkok: 2026-11-21 15:45, or 2026-11-21 for its end"
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

const decode = decodeFields(Schema.Struct({
  job: Schema.optionalKey(Id),
  slip: Schema.optionalKey(Slip),
  verification: Schema.optionalKey(Id),
  branch: Schema.optionalKey(Id),
  at: Schema.optionalKey(MomentOfTrail),
  reveal: Schema.optionalKey(Schema.Literals(["true", "false"]))
}))

const subjectOf = ({ branch, job, slip, verification }: Effect.Success<ReturnType<typeof decode>>) => {
  const [sendingBank = "", transRef = ""] = slip?.split(":") ?? []
  const given: ReadonlyArray<TrailSubject> = [
    ...(job === undefined ? [] : [{ _tag: "Job", id: job } as const]),
    ...(slip === undefined ? [] : [{ _tag: "Slip", sendingBank, transRef } as const]),
    ...(verification === undefined ? [] : [{ _tag: "Verification", id: verification } as const]),
    ...(branch === undefined ? [] : [{ _tag: "Branch", id: branch } as const])
  ]
  const [subject] = given
  return subject === undefined || given.length > 1
    ? Effect.fail(invalid({ path: "", message: "Give exactly one of job, slip, verification and branch" }))
    : Effect.succeed(subject)
}

/**
 * Whose trail is asked for, and up to when, as the query of a request or the flags of a command say it (contract,
 * "Admin API"). `at` is in milliseconds, undefined for all of it.
 */
export const decodeTrailQuery = Effect.fnUntraced(function*(fields: Fields) {
  const query = yield* decode(fields)
  return { subject: yield* subjectOf(query), at: query.at, isRevealed: query.reveal === "true" }
})
