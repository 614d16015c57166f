import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { formatOf } from "../../../application/trail/export-request.ts"
import { ExportFormat } from "../../../domain/trail-export.ts"
import { decodeExport } from "../../web/input/export-query.ts"
import { decodeFlags, optionalText, outFlag, switchFlag, TIME, trimmed } from "./flags.ts"
import { atTarget, revealFlag } from "./operation.ts"
import { note } from "./output.ts"
import { exportFromFolder } from "./trail-export-local.ts"
import { exportFromService } from "./trail-export-remote.ts"
import { trailFlags } from "./trail-subject.ts"

const flags = {
  from: optionalText("from", `Only events at that time or later: ${TIME}`),
  to: optionalText("to", `Only events up to that time: ${TIME}, which means the end of that day`),
  ...trailFlags,
  branch: optionalText("branch", "Id of a branch: all events by this branch or about it"),
  format: Flag.Literals("format", ExportFormat.literals).pipe(
    Flag.withDescription("JSON lines, which trail verify --file can verify, or a table for spreadsheets"),
    Flag.withDefault("ndjson" as const)
  ),
  out: outFlag("File to write. Without --url, an unfinished file of the same export is continued"),
  after: optionalText("after", "Only events after that position, such as the end of an earlier export"),
  bom: switchFlag("bom", "Begin a CSV with a byte order mark, so that Excel reads it as UTF-8"),
  masked: switchFlag("masked", "Add masked sender and receiver to the JSON lines; a CSV always has them"),
  reveal: revealFlag
}

type Flags = Command.Command.Config.Infer<typeof flags>

const trueOf = (isSet: boolean) => isSet ? "true" as const : undefined

/** The flags as a query of the admin API, which has the same names. */
const queryOf = ({ bom, format, masked, out: _, reveal, ...texts }: Flags) => ({
  ...trimmed(texts),
  bom: trueOf(bom),
  masked: trueOf(masked),
  reveal: trueOf(reveal),
  format
})

const routeOf = (query: ReturnType<typeof queryOf>): string => {
  const given = Object.entries(query).filter((entry) => entry[1] !== undefined)
  const fields = given.map(([name, value]) => `${name}=${encodeURIComponent(value ?? "")}`)
  return `GET /admin/v1/trail/export?${fields.join("&")}`
}

export const exported = Command.make(
  "export",
  flags,
  Effect.fnUntraced(function* (flags) {
    const query = queryOf(flags)
    const request = yield* decodeFlags(decodeExport, query)
    const { out } = flags
    // The service knows the subject as the log has it. The client needs only how lines look.
    const format = formatOf(request, undefined, request.personalData)
    const result = yield* atTarget(
      ({ open }) => exportFromService(open({ name: "exportTrail", query }), format, out),
      exportFromFolder({ request, out, route: routeOf(query) })
    )
    if (result === undefined) return
    const reached = result.at === undefined ? "" : `, up to position ${result.at} of the log`
    yield* note(`${result.count} events${reached}`)
  })
).pipe(
  Command.withDescription("Write events in the order of the log; sealed data stays sealed without --reveal")
)
