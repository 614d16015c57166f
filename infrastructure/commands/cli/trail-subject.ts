import { Effect } from "effect"
import { SubjectQuery } from "../../web/api/requests/operator-queries.ts"
import { decodeFields } from "../../web/input/decode.ts"
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

const decodeSubject = decodeFields(SubjectQuery)

export const SUBJECTS = "--job ID, --slip BANK:TRANSREF, --verification ID, --branch ID"

/**
 * The subject, or the request, that the flags name: as the query of the admin API, with one field. `names` lists the flags
 * for the error.
 */
export const subjectOf = Effect.fnUntraced(
  function* (flags: Readonly<Record<string, string | undefined>>, names: string) {
    const given = Object.entries(flags).flatMap(([name, text]) => text === undefined ? [] : [[name, text.trim()]])
    if (given.length !== 1) return yield* cannotRun(`give exactly one of ${names}`)
    return yield* decodeFlags(decodeSubject, Object.fromEntries(given))
  }
)
