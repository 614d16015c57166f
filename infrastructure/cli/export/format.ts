import { csvHeader, csvLine } from "../../../application/queries/export-csv.ts"
import { ndjsonLine } from "../../../application/queries/export-lines.ts"
import type { RecordedEvent } from "../../../application/ports/event-store.ts"

/** How an export is written. */
export interface Format {
  /** What it begins with. */
  readonly header: string
  /** What every line begins with, or the first one without a header. */
  readonly beginning: string
  /** One line, with its end. */
  readonly line: (event: RecordedEvent) => string
  /** Of a line that it wrote, where the event stands: its position, stream and revision. */
  readonly placeOf: (line: string) => Place | undefined
}

export interface Place {
  readonly position: string
  readonly stream: string
  readonly revision: number
}

const placed = (position: unknown, stream: unknown, revision: unknown): Place | undefined =>
  typeof position === "string" && typeof stream === "string" && typeof revision === "number" && Number.isInteger(revision)
    ? { position, stream, revision }
    : undefined

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const ofNdjson = (line: string): Place | undefined => {
  const event = parsed(line)
  if (typeof event !== "object" || event === null) return undefined
  const { position, revision, stream } = event as { readonly [field: string]: unknown }
  return placed(position, stream, revision)
}

/** The first cells of a line are ids and numbers, which are never quoted. */
const ofCsv = (line: string): Place | undefined => {
  const [position, , stream, revision] = line.split(",", 4)
  return placed(position, stream, /^\d+$/u.test(revision ?? "") ? Number(revision) : undefined)
}

/** Tells Excel that a CSV is UTF-8. */
const BOM = "\u{feff}"

export const formats = {
  ndjson: (): Format => ({ header: "", beginning: "{\"position\":\"", line: ndjsonLine, placeOf: ofNdjson }),
  csv: (bom: boolean): Format => {
    const header = `${bom ? BOM : ""}${csvHeader}`
    return { header, beginning: header, line: csvLine, placeOf: ofCsv }
  }
}
