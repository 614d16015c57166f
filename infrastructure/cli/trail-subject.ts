import { Effect, Option } from "effect"
import { decodeTrailQuery } from "../http/admin/trail-query.ts"
import { cannotRun } from "./exit.ts"
import { maybe } from "./flags.ts"
import { judged } from "./operation.ts"

/** Flags that say whose trail is meant. */
export const subjectFlags = {
  job: maybe("job", "Id of a job: a slip that was handed over to be verified later"),
  slip: maybe("slip", "BANK:TRANSREF, for example 004:013071152533APM07736"),
  verification: maybe("verification", "Id of a verification"),
  branch: maybe("branch", "Id of a branch")
}

/** The one subject that was given. */
export const subjectOf = Effect.fnUntraced(function*(flags: Record<keyof typeof subjectFlags, Option.Option<string>>) {
  const given = Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, Option.getOrUndefined(flag)?.trim()]))
  if (Object.values(given).filter((text) => text !== undefined).length !== 1) {
    return yield* cannotRun("give exactly one of --job ID, --slip BANK:TRANSREF, --verification ID, --branch ID")
  }
  return (yield* judged(decodeTrailQuery, given)).subject
})
