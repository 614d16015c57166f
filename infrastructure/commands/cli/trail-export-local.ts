import { Effect, Layer, Option } from "effect"
import type { RequestIds } from "../../../application/events/handle-command.ts"
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
} from "../../../application/trail/export-request.ts"
import { hasEvents, type Selection, selectTrail, showsPersonalData } from "../../../application/trail/export.ts"
import type { TrailRequest, TrailSubject } from "../../../application/trail/trail.ts"
import { formatPosition } from "../../../domain/events/recorded-event.ts"
import type { ExportedData, ExportSubject } from "../../../domain/trail-export.ts"
import { layerIdentifiers } from "../../adapters/keys/identifiers.ts"
import { layerKeysReadOnly } from "../../runtime/keys.ts"
import { layerLogReadOnly } from "../../runtime/stores.ts"
import { readSettings } from "../../platform/settings/settings.ts"
import { answerIsNo } from "./exit.ts"
import { type ExportRun, resumePosition, runExport } from "./export-run.ts"
import { toFile, toStandardOutput } from "./export-target.ts"
import { isReadOnly, layerLogToAppend, unrecorded } from "./log-to-append.ts"
import { asOperation, runLocalChange, runReveal } from "./operation.ts"
import { note } from "./output.ts"
import { readStores, retryWhileBehind } from "./stores.ts"

/** An export from the data folder. */
export interface LocalExport {
  readonly request: ExportRequest
  /** Undefined: standard output. */
  readonly out: string | undefined
  /** The same export over the admin API. */
  readonly route: string
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
  { out, request }: LocalExport,
  subject: ExportSubject | undefined,
  personalData: ExportedData
) {
  const format = formatOf(request, subject, personalData)
  const target = yield* out === undefined ? toStandardOutput : toFile(out, format)
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

interface Selected<E, R> {
  readonly select: Effect.Effect<Selection, E, R>
  readonly selection: Selection
  readonly subject: ExportSubject | undefined
}

/** Exports selected events. Records it with `ids`, which are undefined when this command cannot write the log. */
const exportAs = <E, R, E2, R2>(
  options: LocalExport,
  { select, selection, subject }: Selected<E2, R2>,
  personalData: ExportedData,
  show: ExportRun<E, R>["show"],
  ids: RequestIds | undefined
) =>
  Effect.flatMap(prepare(options, subject, personalData), (prepared) =>
    runRecorded(
      { ...prepared, selection, show },
      select,
      ids === undefined ? undefined : recordExport({ ...options.request, subject, personalData }, ids)
    ))

/** Exports from the log, without read models. When the keys can be read, a CSV also has masked names. */
const exportLog = Effect.fnUntraced(function* (options: LocalExport, ids: RequestIds | undefined) {
  const { request } = options
  const branchId = request.subject?._tag === "Branch" ? request.subject.id : undefined
  const select = selectFromLog(request, branchId)
  const subject = branchId === undefined ? undefined : { kind: "branch", id: branchId } as const
  const selected = { select, selection: yield* select, subject }
  const masked = exportAs(options, selected, "masked", showMasked, ids)
  const isCsv = request.format === "csv"
  if (!isCsv && request.personalData === "masked") return yield* Effect.provide(masked, layerKeys)
  const keys = isCsv ? yield* optionalKeys : Option.none()
  if (Option.isSome(keys)) return yield* Effect.provide(masked, keys.value)
  return yield* exportAs(options, selected, "sealed", showSealed, ids)
}, Effect.scoped)

const exportTrail = Effect.fnUntraced(
  function* (options: LocalExport, query: TrailSubject | TrailRequest, ids: RequestIds | undefined) {
    const { personalData } = options.request
    const select = selectFromTrail(options.request, query)
    const selected = { select, selection: yield* select, subject: yield* exportSubject(query) }
    return yield* personalData === "masked"
      ? exportAs(options, selected, personalData, showMasked, ids)
      : exportAs(options, selected, personalData, showSealed, ids)
  },
  Effect.scoped
)

/**
 * Runs an export without a record when the log can only be read. A person who can read the folder can read the log with any
 * tool, so the export goes on, and says that it is not recorded.
 */
const orUnrecorded = <A, E, R, E2, R2>(
  { route }: LocalExport,
  recorded: Effect.Effect<A, E, R>,
  otherwise: Effect.Effect<A, E2, R2>
) =>
  Effect.catch(
    recorded,
    (error): Effect.Effect<A, E | E2, R2> =>
      isReadOnly(error) ? Effect.andThen(note(unrecorded("this export", route, error)), otherwise) : Effect.fail(error)
  )

const layerLogAsIs = Layer.merge(Layer.unwrap(Effect.map(readSettings, layerLogReadOnly)), layerIdentifiers)

const exportSealed = (options: LocalExport) => {
  const { subject } = options.request
  return subject === undefined || subject._tag === "Branch"
    ? orUnrecorded(
      options,
      asOperation((ids) => exportLog(options, ids)).pipe(Effect.provide(layerLogToAppend)),
      Effect.provide(exportLog(options, undefined), layerLogAsIs)
    )
    : orUnrecorded(
      options,
      runLocalChange((ids) => retryWhileBehind(exportTrail(options, subject, ids))),
      Effect.provide(readStores(exportTrail(options, subject, undefined)), layerIdentifiers)
    )
}

const exportRevealed = Effect.fnUntraced(function* (options: LocalExport) {
  const { request, route } = options
  const { subject: query } = request
  const branchId = query?._tag === "Branch" ? query.id : undefined
  return yield* runReveal(
    `stop it first, or use its admin API, which records the access too: ${route}`,
    Effect.fnUntraced(function* (recordDisclosure, operation) {
      const subject = query === undefined ? undefined : yield* exportSubject(query)
      const select = query === undefined || query._tag === "Branch"
        ? selectFromLog(request, branchId)
        : selectFromTrail(request, query)
      const run = {
        ...(yield* prepare(options, subject, "revealed")),
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

/** Writes an export of the data folder. Returns how many events were written, and the position reached. */
export const exportFromFolder = Effect.fnUntraced(function* (options: LocalExport) {
  const { personalData } = options.request
  const result = yield* personalData === "revealed" ? exportRevealed(options) : exportSealed(options)
  return result === undefined ? undefined : { count: result.count, at: formatPosition(result.at) }
})
