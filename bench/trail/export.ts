import { Effect } from "effect"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { beginning, formatPosition, type Position, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { selectEvents } from "../../application/trail/export.ts"
import { type Format, formats } from "../../application/trail/export-format.ts"
import { runExport } from "../../infrastructure/commands/cli/export-run.ts"
import { toFile } from "../../infrastructure/commands/cli/export-target.ts"
import { checkedFinding } from "../figure.ts"
import { ratioOf } from "../http/laps.ts"
import { perSecond } from "../store/lap.ts"
import { rate } from "../store/log.ts"

/** Events per page, as in an export. */
const PAGE = 256

const fields = ({ data, id, metadata, position, revision, stream, type }: RecordedEvent) => ({
  position: formatPosition(position),
  id,
  stream,
  revision,
  type,
  data,
  metadata
})

/** The baseline: reads every page of the log, stringifies it and discards the text. */
const bare = Effect.gen(function* () {
  const store = yield* EventStore
  let at: Position = beginning
  let length = 0
  while (true) {
    const page = yield* store.readAll({ after: at, limit: PAGE })
    const last = page.at(-1)
    if (last === undefined) return length
    for (const event of page) length += JSON.stringify(fields(event)).length
    at = last.position
  }
})

const query = {
  from: undefined,
  to: undefined,
  branchId: undefined,
  subject: undefined,
  after: beginning,
  personalData: "sealed"
} as const

const exportTo = (file: string, format: Format) =>
  Effect.scoped(Effect.gen(function* () {
    rmSync(file, { force: true })
    const target = yield* toFile(file, format)
    yield* runExport({
      selection: selectEvents(query),
      after: beginning,
      format,
      target,
      show: (event) => Effect.succeed({ event, parties: undefined })
    })
  }))

/** Compares exporting a log to a file, flushed to the disk, with only reading and stringifying the same pages. */
export const measureExport = Effect.fnUntraced(function* (folder: string, count: number, rounds: number) {
  const laps = { ndjson: new Array<number>(), csv: new Array<number>(), bare: new Array<number>() }
  for (let round = 0; round <= rounds; round++) {
    const lap = {
      ndjson: yield* perSecond(count, exportTo(join(folder, "bench.ndjson"), formats.ndjson(query))),
      csv: yield* perSecond(count, exportTo(join(folder, "bench.csv"), formats.csv(query, false))),
      bare: yield* perSecond(count, bare)
    }
    // The first round warms up.
    if (round === 0) continue
    laps.ndjson.push(lap.ndjson)
    laps.csv.push(lap.csv)
    laps.bare.push(lap.bare)
  }
  const baseline = `${rate(laps.bare)} read and stringified`
  return [
    checkedFinding(
      { what: "export, NDJSON to a file", measured: rate(laps.ndjson), baseline },
      ratioOf(laps.ndjson, laps.bare),
      { atLeast: 0.5 }
    ),
    checkedFinding(
      { what: "export, CSV to a file", measured: rate(laps.csv), baseline },
      ratioOf(laps.csv, laps.bare),
      { atLeast: 0.25 }
    )
  ]
})
