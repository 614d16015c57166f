import { Effect, Schema } from "effect"
import type { ExportRequest } from "../../application/trail/export-request.ts"
import { beginning, parsePosition } from "../../domain/events/recorded-event.ts"
import { ExportFormat } from "../../domain/trail-export.ts"
import { decodeFields, type Fields, invalid, type InvalidInput } from "./decode.ts"
import { field, subjectFields, subjectsOf } from "./operator-queries.ts"
import { writtenTime } from "./time-range.ts"

const flag = (description: string) => field(Schema.Literals(["true", "false"]), description)

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

const refuse = (path: string, message: string) => Effect.fail(invalid({ path, message }))

/** The export that a query asks for. The format of a CSV is `masked` unless it is revealed. */
export const exportRequestOf = (query: typeof ExportQuery.Type): Effect.Effect<ExportRequest, InvalidInput> => {
  const { after, bom, format = "ndjson", from, masked, reveal, to } = query
  const subjects = subjectsOf(query)
  const [subject] = subjects
  const isCsv = format === "csv"
  if (subjects.length > 1) return refuse("", "Give at most one of job, slip, verification, branch and request")
  if (from !== undefined && to !== undefined && to < from) {
    return refuse("to", "Expected a time that is not before from")
  }
  if (bom === "true" && !isCsv) return refuse("bom", "Expected together with the format csv")
  if (masked === "true" && isCsv) return refuse("masked", "A CSV always has masked names")
  if (masked === "true" && reveal === "true") return refuse("masked", "Cannot be used with reveal")
  if (reveal === "true" && subject?._tag === "Request") {
    return refuse("reveal", "Not possible for a request: export a job, slip or verification of its events")
  }
  return Effect.succeed({
    subject,
    from,
    to,
    after: after === undefined ? beginning : parsePosition(after) ?? beginning,
    format,
    hasByteOrderMark: bom === "true",
    personalData: reveal === "true" ? "revealed" : masked === "true" || isCsv ? "masked" : "sealed"
  })
}

const decodeExportQuery = decodeFields(ExportQuery)

/** The same decoder for the flags of the command. */
export const decodeExport = (fields: Fields) => Effect.flatMap(decodeExportQuery(fields), exportRequestOf)
