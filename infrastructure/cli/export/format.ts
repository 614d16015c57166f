import { csvHeader, csvLine } from "../../../application/trail/export-csv.ts"
import { ndjsonLine, type Told } from "../../../application/trail/export-lines.ts"
import { type Asked, isAsLogged, markOf, unmarked } from "./mark.ts"

/** How an export is written. */
export interface Format {
  readonly name: "CSV" | "NDJSON"
  /** Which export it is. */
  readonly mark: string
  /** Whether the lines say so: those of the whole log do not. */
  readonly isMarked: boolean
  /** What it begins with. */
  readonly header: string
  /** What every line begins with, or the first one without a header. */
  readonly beginning: string
  /** One line, with its end. */
  readonly line: (told: Told) => string
  /** Of a line that it wrote, where the event stands: its position, stream and revision. */
  readonly placeOf: (line: string) => Place | undefined
  /** Of such a line, which export it belongs to. */
  readonly markOf: (line: string) => string
}

export interface Place {
  readonly position: string
  readonly stream: string
  readonly revision: number
}

const placed = (position: unknown, stream: unknown, revision: unknown): Place | undefined =>
  typeof position === "string" && typeof stream === "string" && typeof revision === "number"
    && Number.isInteger(revision)
    ? { position, stream, revision }
    : undefined

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

interface Fields {
  readonly [field: string]: unknown
}

const fieldsOf = (line: string): Fields => {
  const event = parsed(line)
  return typeof event === "object" && event !== null ? { ...event } : {}
}

const placeOfNdjson = (line: string): Place | undefined => {
  const { position, revision, stream } = fieldsOf(line)
  return placed(position, stream, revision)
}

const markOfNdjson = (line: string): string => {
  const { export: mark } = fieldsOf(line)
  return typeof mark === "string" ? mark : unmarked
}

/** The first cells of a line are ids and numbers, which are never quoted. */
const placeOfCsv = (line: string): Place | undefined => {
  const [position, , stream, revision] = line.split(",", 4)
  return placed(position, stream, /^\d+$/u.test(revision ?? "") ? Number(revision) : undefined)
}

/** The last cell, which is never quoted either. */
const markOfCsv = (line: string): string => line.slice(line.lastIndexOf(",") + 1).trimEnd()

/** Tells Excel that a CSV is UTF-8. */
const BOM = "\u{feff}"

export const formats = {
  ndjson: (asked: Asked): Format => {
    const isMarked = !isAsLogged(asked)
    const mark = isMarked ? markOf(asked) : unmarked
    return {
      name: "NDJSON",
      mark,
      isMarked,
      header: "",
      beginning: '{"position":"',
      line: (told) => ndjsonLine(told, isMarked ? mark : undefined),
      placeOf: placeOfNdjson,
      markOf: markOfNdjson
    }
  },
  csv: (asked: Asked, bom: boolean): Format => {
    const header = `${bom ? BOM : ""}${csvHeader}`
    const mark = markOf(asked)
    return {
      name: "CSV",
      mark,
      isMarked: true,
      header,
      beginning: header,
      line: (told) => csvLine(told, mark),
      placeOf: placeOfCsv,
      markOf: markOfCsv
    }
  }
}
