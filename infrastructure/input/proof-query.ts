import { Effect, Schema } from "effect"
import type { ProofSubject } from "../../application/log-proof/prove.ts"
import { decodeFields, invalid, type InvalidInput } from "./decode.ts"
import { field } from "./operator-queries.ts"
import { OperatorId } from "./operator-requests.ts"

/** What to prove: exactly one of a verification and a job. */
export const ProofQuery = Schema.Struct({
  verification: field(OperatorId, "Proves the events of this verification."),
  job: field(OperatorId, "Proves the events of this job, from acceptance to callback, with the callback URL.")
})

export const proofSubjectOf = (
  { job, verification }: typeof ProofQuery.Type
): Effect.Effect<ProofSubject, InvalidInput> => {
  if (job !== undefined && verification === undefined) return Effect.succeed({ kind: "job", id: job })
  return verification !== undefined && job === undefined
    ? Effect.succeed({ kind: "verification", id: verification })
    : Effect.fail(invalid({ path: "", message: "Give exactly one of verification and job" }))
}

const isNumber = (text: string): boolean => /^\d{1,15}$/u.test(text)

/** Which tree heads to list. */
export const TreeHeadQuery = Schema.Struct({
  after: field(
    Schema.String.check(Schema.makeFilter((text: string) => isNumber(text) || "Expected the number of a tree head")),
    "Only tree heads after the one with this `number`, such as that of the last line of an earlier copy."
  )
})

/** The same decoder for the flags of the command. */
export const decodeTreeHeadQuery = decodeFields(TreeHeadQuery)
