import { Schema } from "effect"
import { parsePosition } from "../../../../domain/events/recorded-event.ts"
import { ExportFormat } from "../../../../domain/trail-export.ts"
import { expected, field, flag, OperatorId, order, text } from "../values.ts"
import { subjectFields } from "./operator-queries.ts"
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

const PositionText = Schema.String.check(
  Schema.makeFilter((value: string) =>
    parsePosition(value) !== undefined || `Expected a position such as 1234/1234, got "${value}"`
  )
)

/** The flags of `sliptrail trail export` (docs/spec/http.md, "Trail export"). */
export const ExportQuery = Schema.Struct({
  ...subjectFields,
  from: field(
    writtenTime("first"),
    "Only events at this time or later. Without an offset it is the time of Bangkok; a day stands for its beginning there."
  ),
  to: field(writtenTime("last"), "Only events up to this time. A day stands for its end in Bangkok."),
  after: field(PositionText, "Only events after this position, such as that of the last line of an earlier export."),
  format: field(ExportFormat, "`ndjson` by default: JSON lines; or `csv`, a table for spreadsheets."),
  bom: flag("`true` begins a CSV with a byte order mark, so that Excel reads it as UTF-8."),
  masked: flag("`true` adds the masked sender and receiver to JSON lines. A CSV always has them."),
  reveal: flag("`true` opens sealed data and appends a disclosure event first. Refused with `request`.")
})

/** What to prove: exactly one of a verification and a job. */
export const ProofQuery = Schema.Struct({
  verification: field(OperatorId, "Proves the events of this verification."),
  job: field(OperatorId, "Proves the events of this job, from acceptance to callback, with the callback URL.")
})

/** Which tree heads to list. */
export const TreeHeadQuery = Schema.Struct({
  after: field(
    Schema.String.check(expected((text) => /^\d{1,15}$/u.test(text), "the number of a tree head")),
    "Only tree heads after the one with this `number`, such as that of the last line of an earlier copy."
  )
})
