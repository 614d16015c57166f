import { AuditQuery } from "../api/requests/audit.ts"
import { Effect } from "effect"
import { slipDigest } from "../../../application/sealing/sealed-data.ts"
import { decodeFields } from "./decode.ts"
import { isSlipName } from "../api/requests/operator-queries.ts"
import { partsOf } from "./operator-queries.ts"

/** The filter, with a slip replaced by its digest. */
export const auditFilterOf = Effect.fnUntraced(function* ({ subject, ...query }: typeof AuditQuery.Type) {
  const { from, kind, operator } = query
  if (subject === undefined || !isSlipName(subject)) return { from, kind, operator, subject, to: query.to }
  const { sendingBank, transRef } = partsOf(subject)
  return { from, kind, operator, subject: yield* slipDigest(sendingBank, transRef), to: query.to }
})

export const decodeAudit = decodeFields(AuditQuery)
