import { Effect, Schema } from "effect"
import { slipDigest } from "../../application/sealing/sealed-data.ts"
import { decodeFields, type Fields, text } from "./decode.ts"
import { field, isSlipName, order, partsOf } from "./operator-queries.ts"
import { writtenTime } from "./time-range.ts"

/** Longer than any id, and than the name of an operator. */
const NAME = text(200)

/** The filter for listing what operators did (docs/spec/http.md, "Audit"). */
export const AuditQuery = Schema.Struct({
  operator: field(
    NAME,
    "Only acts of this operator, in any case. Events from before operators had names are listed under their interface: "
      + "`api`, `cli` or `console`."
  ),
  kind: field(NAME, "Only events of this type, such as `PersonalDataRevealed`."),
  subject: field(
    NAME,
    "Only acts that concern this: the id of a service, branch, account, bank account, job, verification, session or "
      + "request, the name of an operator, or a slip as `BANK:TRANSREF`."
  ),
  from: field(
    writtenTime("first"),
    "Only acts at this time or later. Without an offset it is the time of Bangkok; a day stands for its beginning there."
  ),
  to: field(writtenTime("last"), "Only acts up to this time. A day stands for its end in Bangkok."),
  order: order("newest")
})

/** The filter, with a slip replaced by its digest. */
export const auditFilterOf = Effect.fnUntraced(function* ({ subject, ...query }: typeof AuditQuery.Type) {
  const { from, kind, operator } = query
  if (subject === undefined || !isSlipName(subject)) return { from, kind, operator, subject, to: query.to }
  const { sendingBank, transRef } = partsOf(subject)
  return { from, kind, operator, subject: yield* slipDigest(sendingBank, transRef), to: query.to }
})

const decodeAuditQuery = decodeFields(AuditQuery)

/** The same decoder for the flags of a command and the form of the console. */
export const decodeAudit = (fields: Fields) => decodeAuditQuery(fields)
