import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { ExportedEvent } from "../../application/trail/export-lines.ts"
import { type ExportFilter, selectEvents, selectTrail, showsPersonalData } from "../../application/trail/export.ts"
import { maskedParties, openedParties, openEvent } from "../../application/trail/sealed-fields.ts"
import { loggedSubject, type TrailRequest, type TrailSubject } from "../../application/trail/trail.ts"
import { branches, streamOf } from "../../domain/events/aggregates.ts"
import { beginning, formatPosition, parsePosition, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { isoTime } from "../../domain/time.ts"
import { answerIsNo, cannotRun } from "./exit.ts"
import { type ExportId, formats } from "./export-format.ts"
import { resumePosition, runExport } from "./export-run.ts"
import { toFile, toStandardOutput } from "./export-target.ts"
import { optionalText, TIME, timeOf } from "./flags.ts"
import { revealFlag, runReveal } from "./operation.ts"
import { note } from "./output.ts"
import { readStores, retryWhileBehind } from "./stores.ts"
import { adminQueryOf, optionalTrailQueryOf, requireSubject, trailFlags } from "./trail-subject.ts"
import { withoutAdminOperation } from "./target.ts"
import { layerKeysReadOnly } from "../runtime/keys.ts"
import { layerLogReadOnly } from "../runtime/stores.ts"
import { readSettings } from "../settings/settings.ts"
import { EventStore } from "../../ports/event-store.ts"

const flags = {
  from: optionalText("from", `Only events at that time or later: ${TIME}`),
  to: optionalText("to", `Only events up to that time: ${TIME}, which means the end of that day`),
  ...trailFlags,
  branch: optionalText("branch", "Id of a branch: all events by this branch or about it"),
  format: Flag.Literals("format", ["ndjson", "csv"]).pipe(
    Flag.withDescription("JSON lines, which trail verify --file can verify, or a table for spreadsheets"),
    Flag.withDefault("ndjson")
  ),
  out: optionalText(
    "out",
    "File to write; an unfinished file of the same export is continued. Default standard output"
  ),
  after: optionalText("after", "Only events after that position, such as the end of an earlier export"),
  bom: Flag.Boolean("bom").pipe(
    Flag.withDescription("Begin a CSV with a byte order mark, so that Excel reads it as UTF-8"),
    Flag.withDefault(false)
  ),
  masked: Flag.Boolean("masked").pipe(
    Flag.withDescription("Add masked sender and receiver to the JSON lines; a CSV always has them"),
    Flag.withDefault(false)
  ),
  reveal: revealFlag
}

type Flags = Command.Command.Config.Infer<typeof flags>

const layerLog = Layer.unwrap(Effect.map(readSettings, layerLogReadOnly))
const layerKeys = Layer.unwrap(Effect.map(readSettings, layerKeysReadOnly))

/** The keys; none when they cannot be read. Without keys everything but names can be exported. */
const optionalKeys = Effect.option(
  Layer.build(layerKeys).pipe(
    Effect.tapError(({ message }) => note(`names and account numbers are left empty: ${message}`))
  )
)

interface Choice extends ExportFilter {
  /** Undefined: the export reads the whole log. */
  readonly query: TrailSubject | TrailRequest | undefined
}

/** The events that the flags select. Fails for flags that contradict each other. */
const choiceOf = Effect.fnUntraced(function* (flags: Flags) {
  const from = yield* timeOf("from", flags.from, "first")
  const to = yield* timeOf("to", flags.to, "last")
  if (from !== undefined && to !== undefined && to < from) {
    return yield* cannotRun("--to: Expected a time that is not before --from")
  }
  const { branch, job, request, slip, verification } = flags
  const query = yield* optionalTrailQueryOf({ branch, job, request, slip, verification })
  if (flags.bom && flags.format !== "csv") return yield* cannotRun("--bom: Expected together with --format csv")
  if (flags.masked && flags.format === "csv") return yield* cannotRun("--masked: a CSV always has masked names")
  if (flags.masked && flags.reveal) return yield* cannotRun("--masked: cannot be used with --reveal")
  const choice: Choice = query?._tag === "Branch"
    ? { from, to, branchId: query.id, query: undefined }
    : { from, to, branchId: undefined, query }
  return choice
})

const positionOf = (flag: Option.Option<string>) => {
  if (Option.isNone(flag)) return Effect.succeed(beginning)
  const position = parsePosition(flag.value)
  return position === undefined
    ? Effect.fail(cannotRun(`--after: Expected a position such as 1234/1234, got "${flag.value}"`))
    : Effect.succeed(position)
}

/** The position, format and target of an export. */
const prepare = Effect.fnUntraced(
  function* (flags: Flags, choice: Choice, subject: ExportId["subject"], personalData: ExportId["personalData"]) {
    const after = yield* positionOf(flags.after)
    const id: ExportId = { subject, from: choice.from, to: choice.to, after, personalData }
    const format = flags.format === "csv" ? formats.csv(id, flags.bom) : formats.ndjson(id)
    const target = yield* Option.match(flags.out, {
      onNone: () => toStandardOutput,
      onSome: (file) => toFile(file, format)
    })
    return { after, format, target }
  }
)

/** All events of the log, or of a branch. Fails for an unknown branch, which would look like one without events. */
const selectFromLog = Effect.fnUntraced(function* (filter: ExportFilter) {
  const { branchId } = filter
  if (branchId !== undefined) {
    const [created] = yield* (yield* EventStore).readStream(streamOf.branch(branchId), { limit: 1 })
    if (created === undefined || branches.codec.decode(created)._tag !== "BranchCreated") {
      return yield* answerIsNo(`the branch ${branchId} does not exist`)
    }
  }
  return selectEvents(filter)
})

const selectFromTrail = Effect.fnUntraced(function* (query: TrailSubject | TrailRequest, choice: Choice) {
  return yield* Effect.catchTag(
    selectTrail(query, choice),
    "TrailEmpty",
    () => Effect.fail(answerIsNo("there are no events"))
  )
})

const branchOf = ({ branchId }: Choice): ExportId["subject"] =>
  branchId === undefined ? undefined : { kind: "branch", id: branchId }

const sealedEvent = (event: RecordedEvent) => Effect.succeed<ExportedEvent>({ event, parties: undefined })

const maskedEvent = (event: RecordedEvent) =>
  Effect.map(maskedParties(event), (parties): ExportedEvent => ({ event, parties }))

const revealedEvent = (withParties: boolean) =>
  Effect.fnUntraced(function* (event: RecordedEvent) {
    const parties = withParties ? yield* openedParties(event) : undefined
    return { event: yield* openEvent(event), parties } satisfies ExportedEvent
  })

/** Exports from the log, without read models. When the keys can be read, a CSV also has masked names. */
const exportLog = Effect.fnUntraced(function* (flags: Flags, choice: Choice) {
  const selection = yield* selectFromLog(choice)
  const exportMasked = Effect.gen(function* () {
    return yield* runExport({
      ...(yield* prepare(flags, choice, branchOf(choice), "masked")),
      selection,
      show: maskedEvent
    })
  })
  if (flags.masked) return yield* Effect.provide(exportMasked, layerKeys)
  const keys = flags.format === "csv" ? yield* optionalKeys : Option.none()
  if (Option.isSome(keys)) return yield* Effect.provide(exportMasked, keys.value)
  return yield* runExport({
    ...(yield* prepare(flags, choice, branchOf(choice), "sealed")),
    selection,
    show: sealedEvent
  })
}, Effect.scoped)

const exportTrail = Effect.fnUntraced(function* (flags: Flags, choice: Choice, query: TrailSubject | TrailRequest) {
  const selection = yield* selectFromTrail(query, choice)
  const subject = query._tag === "Request" ? { kind: "request", id: query.id } : yield* loggedSubject(query)
  return flags.masked || flags.format === "csv"
    ? yield* runExport({ ...(yield* prepare(flags, choice, subject, "masked")), selection, show: maskedEvent })
    : yield* runExport({ ...(yield* prepare(flags, choice, subject, "sealed")), selection, show: sealedEvent })
}, Effect.scoped)

const isoOrNull = (at: number | undefined): string | null => at === undefined ? null : isoTime(at)

const exportRevealed = Effect.fnUntraced(function* (flags: Flags, choice: Choice) {
  const { branchId = null, from, to } = choice
  const query = choice.query === undefined ? undefined : yield* requireSubject(choice.query)
  const adminQuery = query === undefined ? `branch=${branchId ?? "ID"}` : adminQueryOf(query)
  return yield* runReveal(
    "stop it first, or use its admin API for one subject at a time, which records the access too: "
      + `GET /admin/v1/trail?${adminQuery}&reveal=true`,
    Effect.fnUntraced(function* (record) {
      const subject = query === undefined ? undefined : yield* loggedSubject(query)
      const select = query === undefined ? selectFromLog(choice) : selectFromTrail(query, choice)
      const run = {
        ...(yield* prepare(flags, choice, subject ?? branchOf(choice), "revealed")),
        selection: yield* select,
        show: revealedEvent(flags.format === "csv")
      }
      if (!(yield* showsPersonalData(run.selection, yield* resumePosition(run)))) return yield* runExport(run)
      yield* record({
        command: "trail export",
        from: isoOrNull(from),
        to: isoOrNull(to),
        branchId,
        subject: subject ?? null
      })
      // Select again: the export contains the event that records this access.
      return yield* runExport({ ...run, selection: yield* retryWhileBehind(select) })
    }, Effect.scoped)
  )
})

export const exported = Command.make(
  "export",
  flags,
  Effect.fnUntraced(function* (flags) {
    const choice = yield* choiceOf(flags)
    const { query } = choice
    const result = flags.reveal
      ? yield* exportRevealed(flags, choice)
      : query === undefined
      ? yield* Effect.provide(exportLog(flags, choice), layerLog)
      : yield* readStores(exportTrail(flags, choice, query))
    if (result !== undefined) {
      yield* note(`${result.count} events, up to position ${formatPosition(result.at)} of the log`)
    }
  })
).pipe(
  Command.withDescription("Write events in the order of the log; sealed data stays sealed without --reveal"),
  withoutAdminOperation("data folder", "it reads the log of the data folder")
)
