import { Effect, Option } from "effect"
import type { TrailRequest, TrailSubject } from "../../../application/trail/trail.ts"
import { decodeTrailQuery, decodeTrailSubject } from "../../web/input/operator-queries.ts"
import { cannotRun } from "./exit.ts"
import { decodeFlags, optionalText } from "./flags.ts"

/** Flags that name the subject of a trail. */
export const subjectFlags = {
  job: optionalText("job", "Id of a job"),
  slip: optionalText("slip", "BANK:TRANSREF, for example 004:013071152533APM07736"),
  verification: optionalText("verification", "Id of a verification"),
  branch: optionalText("branch", "Id of a branch")
}

/** Also a request: it has a trail, but no state at a time. */
export const trailFlags = {
  ...subjectFlags,
  request: optionalText(
    "request",
    "X-Request-Id of a response, or the id that the caller sent: all events that the request caused"
  )
}

type Given<Flags> = Readonly<Record<keyof Flags, Option.Option<string>>>

const SUBJECTS = "--job ID, --slip BANK:TRANSREF, --verification ID, --branch ID"

const exactlyOne = Effect.fnUntraced(function* (flags: Readonly<Record<string, Option.Option<string>>>, names: string) {
  const present = Object.entries(flags).flatMap(([name, flag]) =>
    Option.match(flag, { onNone: () => [], onSome: (text) => [[name, text.trim()] as const] })
  )
  return present.length === 1 ? Object.fromEntries(present) : yield* cannotRun(`give exactly one of ${names}`)
})

export const subjectOf = Effect.fnUntraced(function* (flags: Given<typeof subjectFlags>) {
  return yield* decodeFlags(decodeTrailSubject, yield* exactlyOne(flags, SUBJECTS))
})

/** The subject or the request. */
export const trailQueryOf = Effect.fnUntraced(function* (flags: Given<typeof trailFlags>) {
  return (yield* decodeFlags(decodeTrailQuery, yield* exactlyOne(flags, `${SUBJECTS}, --request ID`))).subject
})

/** The query of the admin API for the same subject. */
export const adminQueryOf = (subject: TrailSubject): string =>
  subject._tag === "Slip"
    ? `slip=${subject.sendingBank}:${subject.transRef}`
    : `${subject._tag.toLowerCase()}=${subject.id}`

/** Access to personal data is recorded in the trail of a subject, so `--reveal` needs one. */
export const requireSubject = (query: TrailSubject | TrailRequest) =>
  query._tag === "Request"
    ? Effect.fail(
      cannotRun("--reveal does not work with --request: use the --job, --slip or --verification that its events name")
    )
    : Effect.succeed(query)

/** `until` completes the sentence, such as ` until then`. */
export const notFoundMessage = ({ _tag }: TrailSubject | TrailRequest, until = ""): string =>
  `there are no events${until}`
  + (_tag === "Slip"
    ? ": check the bank code (three digits, such as 004, or TRUEMONEY) and the reference (upper case, as on the slip; "
      + "of TrueMoney TW and the transaction id)"
    : "")
