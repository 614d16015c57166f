import { Schema } from "effect"
import { eventsOf, onlyOnce } from "./decider.ts"

/**
 * Events of the log were written out for a person. Each export has a stream of its own, `export-{id}`, with one event. It
 * is appended before the first line is written. The actor says who exported, and over which interface.
 *
 * An export that shows personal data is a disclosure instead (`PersonalDataRevealed`), so each export is one event.
 */

/** The subject of an exported trail. The id of a slip is the digest in the names of its streams. */
const ExportSubject = Schema.Struct({
  kind: Schema.Literals(["job", "slip", "verification", "branch", "request"]),
  id: Schema.String
})
export type ExportSubject = typeof ExportSubject.Type

export const ExportFormat = Schema.Literals(["ndjson", "csv"])
export type ExportFormat = typeof ExportFormat.Type

/** Whether personal data is left sealed, is masked, or is opened. */
export const ExportedData = Schema.Literals(["sealed", "masked", "revealed"])
export type ExportedData = typeof ExportedData.Type

// These names are the storage format: add, never edit.
export const TrailExportEvent = Schema.TaggedUnion({
  TrailExported: {
    exportId: Schema.String,
    format: ExportFormat,
    /** `revealed` when opened data was asked for, and the selected events had none. */
    personalData: ExportedData,
    /** Time range of the events, ISO 8601, UTC, both included. Null: without this bound. */
    from: Schema.NullOr(Schema.String),
    to: Schema.NullOr(Schema.String),
    /** The position after which the export begins; null for the beginning of the log. */
    after: Schema.NullOr(Schema.String),
    /** Null: the whole log. */
    subject: Schema.NullOr(ExportSubject),
    /** ISO 8601, UTC. */
    at: Schema.String
  }
})
export type TrailExportEvent = typeof TrailExportEvent.Type

export type RecordExport = { readonly _tag: "RecordExport" } & Omit<TrailExportEvent, "_tag">

const make = eventsOf(TrailExportEvent)

export const trailExport = onlyOnce<RecordExport, TrailExportEvent>(
  ({ after, at, exportId, format, from, personalData, subject, to }) =>
    make.TrailExported({ exportId, format, personalData, from, to, after, subject, at })
)
