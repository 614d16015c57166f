import { Effect, Queue, Stream } from "effect"
import { handleOperatorCommand } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"
import { BranchNotFound } from "../../domain/branch.ts"
import { branches, streamOf, trailExports } from "../../domain/events/aggregates.ts"
import {
  beginning,
  formatPosition,
  isBefore,
  type Position,
  type RecordedEvent
} from "../../domain/events/recorded-event.ts"
import { isoTime } from "../../domain/time.ts"
import type { ExportedData, ExportFormat, ExportSubject, RecordExport } from "../../domain/trail-export.ts"
import { EventStore, type EventStoreError } from "../../ports/event-store.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { type ExportId, type Format, formats } from "./export-format.ts"
import type { ExportedEvent } from "./export-lines.ts"
import { type ExportFilter, type ExportPage, selectEvents, type Selection } from "./export.ts"
import { maskedParties, openedParties, openEvent } from "./sealed-fields.ts"
import { loggedSubject, type TrailRequest, type TrailSubject } from "./trail.ts"

/** Which events to export, and how to write them (docs/spec/operations.md, "Exports"). */
export interface ExportRequest {
  /** Undefined: the whole log. */
  readonly subject: TrailSubject | TrailRequest | undefined
  /** Unix milliseconds, both included. */
  readonly from: number | undefined
  readonly to: number | undefined
  readonly after: Position
  readonly format: ExportFormat
  /** Whether a CSV begins with a byte order mark. */
  readonly hasByteOrderMark: boolean
  readonly personalData: ExportedData
}

/** The subject of an export in the form that the log may hold: a slip by its digest. */
export const exportSubject = Effect.fnUntraced(function* (subject: TrailSubject | TrailRequest) {
  const logged: ExportSubject = subject._tag === "Request"
    ? { kind: "request", id: subject.id }
    : yield* loggedSubject(subject)
  return logged
})

/** The format of an export. Its lines name the subject and the bounds. */
export const formatOf = (
  { after, format, from, hasByteOrderMark, to }: Omit<ExportRequest, "personalData" | "subject">,
  subject: ExportSubject | undefined,
  personalData: ExportedData
): Format => {
  const id: ExportId = { subject, from, to, after, personalData }
  return format === "csv" ? formats.csv(id, hasByteOrderMark) : formats.ndjson(id)
}

/** All events of the log, or of a branch. Fails for an unknown branch, which would look like one without events. */
export const selectLog = Effect.fnUntraced(function* (filter: ExportFilter) {
  const { branchId } = filter
  if (branchId !== undefined) {
    const [created] = yield* (yield* EventStore).readStream(streamOf.branch(branchId), { limit: 1 })
    if (created === undefined || branches.codec.decode(created)._tag !== "BranchCreated") {
      return yield* new BranchNotFound()
    }
  }
  return selectEvents(filter)
})

export const showSealed = (event: RecordedEvent) => Effect.succeed<ExportedEvent>({ event, parties: undefined })

export const showMasked = (event: RecordedEvent) =>
  Effect.map(maskedParties(event), (parties): ExportedEvent => ({ event, parties }))

/** Call `recordDisclosure` before you show it. NDJSON has the opened data alone, a CSV also has columns for the parties. */
export const showRevealed = (format: ExportFormat) =>
  Effect.fnUntraced(function* (event: RecordedEvent) {
    const parties = format === "csv" ? yield* openedParties(event) : undefined
    return { event: yield* openEvent(event), parties } satisfies ExportedEvent
  })

const isoOrNull = (at: number | undefined): string | null => at === undefined ? null : isoTime(at)

/** What the record of an export says, apart from the person, who is the actor. */
type Recorded = Omit<ExportRequest, "hasByteOrderMark" | "subject"> & { readonly subject: ExportSubject | undefined }

/** Records an export that shows no opened data. Write nothing before it succeeds. */
export const recordExport = Effect.fn("recordExport")(function* (
  { after, format, from, personalData, subject, to }: Recorded,
  ids: RequestIds
) {
  const exportId = (yield* Identifiers).newId()
  const record = (at: string): RecordExport => ({
    _tag: "RecordExport",
    exportId,
    format,
    personalData,
    from: isoOrNull(from),
    to: isoOrNull(to),
    after: isBefore(beginning, after) ? formatPosition(after) : null,
    subject: subject ?? null,
    at
  })
  yield* handleOperatorCommand(trailExports, streamOf.trailExport(exportId), record, ids)
})

/**
 * What the disclosure of an export with opened data says. It is the only event of the export: one act is one line of the
 * audit. The trail of a request has several subjects and cannot be opened.
 */
export const disclosureOf = ({ from, subject, to }: Pick<Recorded, "from" | "subject" | "to">) => ({
  from: isoOrNull(from),
  to: isoOrNull(to),
  branchId: subject?.kind === "branch" ? subject.id : null,
  subject: subject === undefined || subject.kind === "request" || subject.kind === "branch"
    ? null
    : { kind: subject.kind, id: subject.id }
})

/** Pages of text that wait for a slow reader, besides the page that is being made. */
const BUFFERED_PAGES = 1

/** The text of an export, page by page. A page is read when the reader has taken the one before it. */
export const exportText = <E, R>(
  { pages }: Selection,
  after: Position,
  format: Format,
  show: (event: RecordedEvent) => Effect.Effect<ExportedEvent, E, R>
) =>
  Stream.callback<string, E | EventStoreError, R | EventStore>(
    Effect.fnUntraced(function* (queue) {
      const write = (text: string) => text === "" ? Effect.void : Effect.asVoid(Queue.offer(queue, text))
      yield* write(format.header)
      yield* pages(after, ({ events }: ExportPage) =>
        Effect.flatMap(Effect.forEach(events, show), (shown) =>
          write(shown.map(format.line).join(""))))
      yield* Queue.end(queue)
    }),
    { bufferSize: BUFFERED_PAGES }
  )
