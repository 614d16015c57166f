import { type ProofQuery, TreeHeadQuery } from "../api/requests/audit.ts"
import { Effect } from "effect"
import type { ProofSubject } from "../../../application/log-proof/prove.ts"
import { decodeFields, invalid, type InvalidInput } from "./decode.ts"

export const proofSubjectOf = (
  { job, verification }: typeof ProofQuery.Type
): Effect.Effect<ProofSubject, InvalidInput> => {
  if (job !== undefined && verification === undefined) return Effect.succeed({ kind: "job", id: job })
  return verification !== undefined && job === undefined
    ? Effect.succeed({ kind: "verification", id: verification })
    : Effect.fail(invalid({ path: "", message: "Give exactly one of verification and job" }))
}

/** The same decoder for the flags of the command. */
export const decodeTreeHeadQuery = decodeFields(TreeHeadQuery)
