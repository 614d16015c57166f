import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { branches, streamOf } from "../../application/aggregates.ts"
import { beginning, EventStore, formatPosition, parsePosition, type RecordedEvent } from "../../application/ports/event-store.ts"
import type { ExportAsked } from "../../application/queries/export.ts"
import { opened } from "../../application/queries/trail-opened.ts"
import { readMoment } from "../../domain/moment.ts"
import { isoTime } from "../../domain/time.ts"
import { layerLogReadOnly } from "../runtime/stores.ts"
import { readSettings } from "../settings.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { formats } from "./export/format.ts"
import { runExport } from "./export/run-export.ts"
import { toFile, toStandardOutput } from "./export/target.ts"
import { maybe } from "./flags.ts"
import { idOf } from "./operation.ts"
import { note } from "./output.ts"
import { revealFlag, revealing } from "./revealing.ts"

const TIME = "2026-11-21T15:45:00+07:00, or in Bangkok \"2026-11-21 15:45\", or a day there"

const flags = {
  from: maybe("from", `What happened at that time or later: ${TIME}`),
  to: maybe("to", `What happened up to that time: ${TIME}, to its end`),
  branch: maybe("branch", "Only what was done by that branch, or to it"),
  format: Flag.Literals("format", ["ndjson", "csv"]).pipe(
    Flag.withDescription("Lines of JSON, which trail verify --file can prove, or a table for spreadsheets"),
    Flag.withDefault("ndjson")
  ),
  out: maybe("out", "File to write; one that an interrupted export has left is gone on with. Standard output without it"),
  after: maybe("after", "Only what stands behind that position, such as an earlier export ended with"),
  bom: Flag.Boolean("bom").pipe(
    Flag.withDescription("Begin a CSV with the mark by which Excel knows UTF-8"),
    Flag.withDefault(false)
  ),
  reveal: revealFlag
}

/** A bound that was given, in milliseconds. */
const boundOf = (name: "from" | "to", flag: Option.Option<string>) => {
  if (Option.isNone(flag)) return Effect.undefined
  const moment = readMoment(flag.value, name === "from" ? "first" : "last")
  return moment === undefined
    ? Effect.fail(cannotRun(`--${name}: Expected ${TIME}, not "${flag.value}"`))
    : Effect.succeed(moment.at)
}

const positionOf = (flag: Option.Option<string>) => {
  if (Option.isNone(flag)) return Effect.succeed(beginning)
  const position = parsePosition(flag.value)
  return position === undefined
    ? Effect.fail(cannotRun(`--after: Expected a position such as 1234/1234, not "${flag.value}"`))
    : Effect.succeed(position)
}

/** A branch that there is not has no events: that would look like a branch that did nothing. */
const knownBranch = Effect.fnUntraced(function*({ branchId }: ExportAsked) {
  if (branchId === undefined) return
  const [created] = yield* (yield* EventStore).readStream(streamOf.branch(branchId), { limit: 1 })
  if (created === undefined || branches.codec.decode(created)._tag !== "BranchCreated") {
    return yield* answerIsNo(`there is no branch ${branchId}`)
  }
})

const layerLog = Layer.unwrap(Effect.map(readSettings, layerLogReadOnly))

const asItIs = (event: RecordedEvent) => Effect.succeed(event)

const isoOrNull = (at: number | undefined): string | null => at === undefined ? null : isoTime(at)

export const exported = Command.make("export", flags, Effect.fnUntraced(function*(flags) {
  const asked: ExportAsked = {
    from: yield* boundOf("from", flags.from),
    to: yield* boundOf("to", flags.to),
    branchId: Option.getOrUndefined(Option.map(flags.branch, idOf))
  }
  const after = yield* positionOf(flags.after)
  if (asked.from !== undefined && asked.to !== undefined && asked.to < asked.from) {
    return yield* cannotRun("--to: Expected a time that is not before --from")
  }
  if (flags.bom && flags.format !== "csv") return yield* cannotRun("--bom: Expected --format csv beside it")
  const format = flags.format === "csv" ? formats.csv(flags.bom) : formats.ndjson()

  const run = <R>(show: (event: RecordedEvent) => Effect.Effect<RecordedEvent, never, R>) =>
    Effect.scoped(Effect.gen(function*() {
      const target = yield* Option.match(flags.out, {
        onNone: () => toStandardOutput,
        onSome: (file) => toFile(file, format)
      })
      return yield* runExport({ asked, after, format, target, show })
    }))

  const inTheClear = revealing(
    "stop it first, or ask its admin API for one subject at a time, which writes it down too: " +
      "GET /admin/v1/trail?branch=ID&reveal=true",
    Effect.fnUntraced(function*(record) {
      yield* knownBranch(asked)
      const { branchId = null, from, to } = asked
      yield* record({ command: "trail export", from: isoOrNull(from), to: isoOrNull(to), branchId, subject: null })
      return yield* run(opened)
    })
  )
  const done = yield* flags.reveal
    ? inTheClear
    : Effect.provide(Effect.andThen(knownBranch(asked), run(asItIs)), layerLog)
  if (done !== undefined) yield* note(`${done.count} events, up to ${formatPosition(done.at)} of the log`)
})).pipe(
  Command.withDescription("Write events out, in the order of the log; what is sealed in the log stays sealed")
)
