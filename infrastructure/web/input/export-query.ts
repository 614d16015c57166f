import { ExportQuery } from "../api/requests/audit.ts"
import { Effect } from "effect"
import type { ExportRequest } from "../../../application/trail/export-request.ts"
import { beginning, parsePosition } from "../../../domain/events/recorded-event.ts"
import { decodeFields, type Fields, invalid, type InvalidInput } from "./decode.ts"
import { subjectsOf } from "./operator-queries.ts"

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
