import { csvHeader, csvLine, type ExportedEvent, ndjsonLine } from "./export-lines.ts"
import { beginning, formatPosition, isBefore, type Position } from "../../domain/events/recorded-event.ts"
import { isoTime } from "../../domain/time.ts"
import type { ExportedData } from "../../domain/trail-export.ts"

/** Identifies an export: the lines of different exports have different ids. */
export interface ExportId {
  /** Such as `slip` and its digest; undefined for the whole log. */
  readonly subject: { readonly kind: string; readonly id: string } | undefined
  /** Unix milliseconds, both included. */
  readonly from: number | undefined
  readonly to: number | undefined
  readonly after: Position
  readonly personalData: ExportedData
}

/**
 * The mark of an export, such as `slip 3f…; masked`. Every line contains it, so any part of a file identifies its
 * export. It contains no character that a CSV cell must quote.
 */
const markOf = ({ after, from, personalData, subject, to }: ExportId): string =>
  [
    subject === undefined ? "whole log" : `${subject.kind} ${subject.id}`,
    ...(from === undefined ? [] : [`from ${isoTime(from)}`]),
    ...(to === undefined ? [] : [`to ${isoTime(to)}`]),
    ...(isBefore(beginning, after) ? [`after ${formatPosition(after)}`] : []),
    personalData
  ].join("; ")

/**
 * The mark of lines without a mark. NDJSON of the whole log has none, because `trail verify --file` verifies those
 * lines; parts that begin at different positions can be concatenated.
 */
const WHOLE_LOG = "whole log; sealed"

export interface Format {
  readonly name: "CSV" | "NDJSON"
  readonly mark: string
  /** Whether the lines contain the mark. */
  readonly isMarked: boolean
  /** The text in front of the first line. */
  readonly header: string
  /** How a file of this format begins: the header, or the beginning of every line. */
  readonly prefix: string
  /** One line with its line end. */
  readonly line: (event: ExportedEvent) => string
  /** The position, stream and revision of the event that a line contains. */
  readonly placeOf: (line: string) => Place | undefined
  /** The mark of a line. */
  readonly markOf: (line: string) => string
}

interface Place {
  readonly position: string
  readonly stream: string
  readonly revision: number
}

const toPlace = (position: unknown, stream: unknown, revision: unknown): Place | undefined =>
  typeof position === "string" && typeof stream === "string" && typeof revision === "number"
    && Number.isInteger(revision)
    ? { position, stream, revision }
    : undefined

const fieldsOf = (line: string): { readonly [field: string]: unknown } => {
  try {
    const event: unknown = JSON.parse(line)
    return typeof event === "object" && event !== null ? { ...event } : {}
  } catch {
    return {}
  }
}

const BYTE_ORDER_MARK = "\u{feff}"

export const formats = {
  ndjson: (id: ExportId): Format => {
    const isMarked = markOf({ ...id, after: beginning }) !== WHOLE_LOG
    const mark = isMarked ? markOf(id) : WHOLE_LOG
    return {
      name: "NDJSON",
      mark,
      isMarked,
      header: "",
      prefix: '{"position":"',
      line: (event) => ndjsonLine(event, isMarked ? mark : undefined),
      placeOf: (line) => {
        const { position, revision, stream } = fieldsOf(line)
        return toPlace(position, stream, revision)
      },
      markOf: (line) => {
        const { export: found } = fieldsOf(line)
        return typeof found === "string" ? found : WHOLE_LOG
      }
    }
  },
  csv: (id: ExportId, withByteOrderMark: boolean): Format => {
    const header = `${withByteOrderMark ? BYTE_ORDER_MARK : ""}${csvHeader}`
    const mark = markOf(id)
    return {
      name: "CSV",
      mark,
      isMarked: true,
      header,
      prefix: header,
      line: (event) => csvLine(event, mark),
      // The first cells are ids and numbers, and the last is the mark: none of them is ever quoted.
      placeOf: (line) => {
        const [position, , stream, revision] = line.split(",", 4)
        return toPlace(position, stream, /^\d+$/u.test(revision ?? "") ? Number(revision) : undefined)
      },
      markOf: (line) => line.slice(line.lastIndexOf(",") + 1).trimEnd()
    }
  }
}
