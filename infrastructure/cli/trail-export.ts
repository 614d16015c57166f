import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import type { Operation } from "../../application/provisioning/operator-command.ts"
import {
  disclosureOf,
  type ExportRequest,
  exportSubject,
  formatOf,
  recordExport,
  selectLog,
  showMasked,
  showRevealed,
  showSealed
} from "../../application/trail/export-request.ts"
import { hasEvents, type Selection, selectTrail, showsPersonalData } from "../../application/trail/export.ts"
import type { TrailRequest, TrailSubject } from "../../application/trail/trail.ts"
import { formatPosition } from "../../domain/events/recorded-event.ts"
import type { ExportedData, ExportSubject } from "../../domain/trail-export.ts"
import { decodeExport } from "../input/export-query.ts"
import { layerIdentifiers } from "../keys/identifiers.ts"
import { DataFolderError, holdDataFolder, requireData } from "../runtime/data-folder.ts"
import { layerKeysReadOnly } from "../runtime/keys.ts"
import { fileInFolder, layerLog, layerLogReadOnly } from "../runtime/stores.ts"
import { readSettings } from "../settings/settings.ts"
import { answerIsNo } from "./exit.ts"
import { type ExportRun, resumePosition, runExport } from "./export-run.ts"
import { toFile, toStandardOutput } from "./export-target.ts"
import { decodeFlags, optionalText, TIME } from "./flags.ts"
import { asOperation, revealFlag, runLocalChange, runReveal } from "./operation.ts"
import { note } from "./output.ts"
import { readStores, retryWhileBehind } from "./stores.ts"
import { withoutAdminOperation } from "./target.ts"
import { trailFlags } from "./trail-subject.ts"

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

/** The flags as a query of the admin API, which has the same names. */
const queryOf = ({ bom, format, masked, out: _, reveal, ...texts }: Flags): Readonly<Record<string, string>> => {
  const given = Object.entries(texts).flatMap(([name, flag]) =>
    Option.match(flag, { onNone: () => [], onSome: (text) => [[name, text.trim()] as const] })
  )
  const chosen = Object.entries({ bom, masked, reveal }).flatMap(([name, isSet]) =>
    isSet ? [[name, "true"] as const] : []
  )
  return { ...Object.fromEntries([...given, ...chosen]), format }
}

const routeOf = (flags: Flags): string => {
  const query = Object.entries(queryOf(flags)).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `GET /admin/v1/trail/export?${query.join("&")}`
}

const layerKeys = Layer.unwrap(Effect.map(readSettings, layerKeysReadOnly))

/** The keys; none when they cannot be read. Without keys everything but names can be exported. */
const optionalKeys = Effect.option(
  Layer.build(layerKeys).pipe(
    Effect.tapError(({ message }) => note(`names and account numbers are left empty: ${message}`))
  )
)

/** Format and target of an export. */
const prepare = Effect.fnUntraced(function* (
  { out }: Flags,
  request: ExportRequest,
  subject: ExportSubject | undefined,
  personalData: ExportedData
) {
  const format = formatOf(request, subject, personalData)
  const target = yield* Option.match(out, { onNone: () => toStandardOutput, onSome: (file) => toFile(file, format) })
  return { after: request.after, format, target }
})

const noEvents = () => Effect.fail(answerIsNo("there are no events"))

const selectFromLog = ({ from, to }: ExportRequest, branchId: string | undefined) =>
  Effect.catchTag(
    selectLog({ from, to, branchId }),
    "BranchNotFound",
    () => Effect.fail(answerIsNo(`the branch ${branchId} does not exist`))
  )

const selectFromTrail = (request: ExportRequest, query: TrailSubject | TrailRequest) =>
  Effect.catchTag(selectTrail(query, request), "TrailEmpty", noEvents)

/** Appends the record of an export; undefined when this command cannot write the log. */
type Recorder = ((exported: Parameters<typeof recordExport>[0]) => ReturnType<typeof recordExport>) | undefined

const recorderOf = (operation: Operation): Recorder => (exported) => recordExport(exported, operation)

/** Runs an export after its record is in the log. A run that writes no event is not recorded. */
const runRecorded = Effect.fnUntraced(function* <E, R, E2, R2>(
  run: ExportRun<E, R>,
  select: Effect.Effect<Selection, E2, R2>,
  record: ReturnType<typeof recordExport> | undefined
) {
  if (record === undefined || !(yield* hasEvents(run.selection, yield* resumePosition(run)))) {
    return yield* runExport(run)
  }
  yield* record
  // Select again: the export contains its own record.
  return yield* runExport({ ...run, selection: yield* retryWhileBehind(select) })
})

/** Exports from the log, without read models. When the keys can be read, a CSV also has masked names. */
const exportLog = Effect.fnUntraced(function* (flags: Flags, request: ExportRequest, recorder: Recorder) {
  const branchId = request.subject?._tag === "Branch" ? request.subject.id : undefined
  const subject: ExportSubject | undefined = branchId === undefined ? undefined : { kind: "branch", id: branchId }
  const select = selectFromLog(request, branchId)
  const selection = yield* select
  const recordOf = (personalData: ExportedData) => recorder?.({ ...request, subject, personalData })
  const exportMasked = Effect.gen(function* () {
    const run = { ...(yield* prepare(flags, request, subject, "masked")), selection, show: showMasked }
    return yield* runRecorded(run, select, recordOf("masked"))
  })
  if (flags.masked) return yield* Effect.provide(exportMasked, layerKeys)
  const keys = flags.format === "csv" ? yield* optionalKeys : Option.none()
  if (Option.isSome(keys)) return yield* Effect.provide(exportMasked, keys.value)
  const run = { ...(yield* prepare(flags, request, subject, "sealed")), selection, show: showSealed }
  return yield* runRecorded(run, select, recordOf("sealed"))
}, Effect.scoped)

const exportTrail = Effect.fnUntraced(
  function* (flags: Flags, request: ExportRequest, query: TrailSubject | TrailRequest, recorder: Recorder) {
    const { personalData } = request
    const select = selectFromTrail(request, query)
    const selection = yield* select
    const subject = yield* exportSubject(query)
    const prepared = { ...(yield* prepare(flags, request, subject, personalData)), selection }
    const record = recorder?.({ ...request, subject })
    return yield* personalData === "masked"
      ? runRecorded({ ...prepared, show: showMasked }, select, record)
      : runRecorded({ ...prepared, show: showSealed }, select, record)
  },
  Effect.scoped
)

/** The log of the settings for appending, without read models and keys. */
const layerLogToAppend = Layer.unwrap(Effect.gen(function* () {
  const settings = yield* readSettings
  const file = fileInFolder(settings)
  if (file === undefined) return Layer.merge(layerLog(settings), layerIdentifiers)
  yield* requireData(settings.dataDir, file)
  return Layer.merge(layerLog(settings), layerIdentifiers).pipe(
    Layer.provideMerge(Layer.effectDiscard(holdDataFolder(settings.dataDir)))
  )
}))

/** The command may read the folder and not write it: a service has it open, or it is read-only. */
const isReadOnly = (error: unknown): error is DataFolderError =>
  error instanceof DataFolderError && error.reason !== "missing"

/** A person who can read the folder can read the log with any tool, so the export goes on, and says that it is not recorded. */
const noteUnrecorded = (flags: Flags, { message, reason }: DataFolderError) =>
  note(
    reason === "in-use"
      ? "this export is not recorded in the log, which a running SlipTrail has open; its admin API records it: "
        + routeOf(flags)
      : `this export is not recorded in the log: ${message}`
  )

/** Runs an export without a record when the log can only be read. */
const orUnrecorded = <A, E, R, E2, R2>(
  flags: Flags,
  recorded: Effect.Effect<A, E, R>,
  unrecorded: Effect.Effect<A, E2, R2>
) =>
  Effect.catch(
    recorded,
    (error): Effect.Effect<A, E | E2, R2> =>
      isReadOnly(error) ? Effect.andThen(noteUnrecorded(flags, error), unrecorded) : Effect.fail(error)
  )

const layerLogAsIs = Layer.merge(Layer.unwrap(Effect.map(readSettings, layerLogReadOnly)), layerIdentifiers)

const exportSealed = (flags: Flags, request: ExportRequest) => {
  const { subject } = request
  return subject === undefined || subject._tag === "Branch"
    ? orUnrecorded(
      flags,
      asOperation((operation) => exportLog(flags, request, recorderOf(operation))).pipe(
        Effect.provide(layerLogToAppend)
      ),
      Effect.provide(exportLog(flags, request, undefined), layerLogAsIs)
    )
    : orUnrecorded(
      flags,
      runLocalChange((operation) => retryWhileBehind(exportTrail(flags, request, subject, recorderOf(operation)))),
      Effect.provide(readStores(exportTrail(flags, request, subject, undefined)), layerIdentifiers)
    )
}

const exportRevealed = Effect.fnUntraced(function* (flags: Flags, request: ExportRequest) {
  const { subject: query } = request
  const branchId = query?._tag === "Branch" ? query.id : undefined
  return yield* runReveal(
    `stop it first, or use its admin API, which records the access too: ${routeOf(flags)}`,
    Effect.fnUntraced(function* (recordDisclosure, operation) {
      const subject = query === undefined ? undefined : yield* exportSubject(query)
      const select = query === undefined || query._tag === "Branch"
        ? selectFromLog(request, branchId)
        : selectFromTrail(request, query)
      const run = {
        ...(yield* prepare(flags, request, subject, "revealed")),
        selection: yield* select,
        show: showRevealed(request.format)
      }
      if (!(yield* showsPersonalData(run.selection, yield* resumePosition(run)))) {
        return yield* runRecorded(run, select, recordExport({ ...request, subject }, operation))
      }
      yield* recordDisclosure({ command: "trail export", ...disclosureOf({ ...request, subject }) })
      // Select again: the export contains the event that records this access.
      return yield* runExport({ ...run, selection: yield* retryWhileBehind(select) })
    }, Effect.scoped)
  )
})

export const exported = Command.make(
  "export",
  flags,
  Effect.fnUntraced(function* (flags) {
    const request = yield* decodeFlags(decodeExport, queryOf(flags))
    const result = yield* flags.reveal ? exportRevealed(flags, request) : exportSealed(flags, request)
    if (result !== undefined) {
      yield* note(`${result.count} events, up to position ${formatPosition(result.at)} of the log`)
    }
  })
).pipe(
  Command.withDescription("Write events in the order of the log; sealed data stays sealed without --reveal"),
  withoutAdminOperation("data folder", "it reads the log of the data folder")
)
