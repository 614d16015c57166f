import { Effect, Stream } from "effect"
import { treeHeadStream } from "../../../domain/log-proof/pending-block.ts"
import {
  type EventMetadata,
  formatPosition,
  type JsonObject,
  parsePosition
} from "../../../domain/events/recorded-event.ts"
import { type LogEntry, type LogSource, LogSourceError } from "../../../ports/log-source.ts"
import { type Line, openLines } from "./lines.ts"

/**
 * A full export of a log, one event per line: {position, id, stream, revision, type, data, metadata}. Two readers stream
 * the file at the same time, so its size is not limited by memory.
 */
export const openExportedLog = Effect.fnUntraced(function* (file: string) {
  const lines = yield* openLines(file)
  const treeHeadLines = yield* openLines(file)
  return {
    events: Stream.mapEffect(
      lines,
      Effect.fnUntraced(function* (page) {
        const [part] = page.flatMap(exportOf)
        if (part !== undefined) return yield* notWhole(file, part)
        const entries = page.map(entryOf)
        // A file of another kind is not evidence of a changed log.
        if (page[0]?.number === 1 && entries.every(({ _tag }) => _tag === "Unreadable")) return yield* noExport(file)
        return entries
      })
    ),
    treeHeads: treeHeadLines.pipe(Stream.flattenIterable, Stream.filter(isTreeHead), Stream.map(entryOf))
  } satisfies LogSource
})

/** The name of the partial export that a line belongs to. Lines of a full export have none. */
const exportOf = ({ text }: Line): ReadonlyArray<string> => {
  const [, part] = /,"export":"([\w.:/; -]+)"\}$/u.exec(text?.slice(-MAX_MARK_LENGTH) ?? "") ?? []
  return part === undefined ? [] : [part]
}

/** The mark is at the end of the line, which can be long. */
const MAX_MARK_LENGTH = 300

const notWhole = (file: string, part: string) =>
  new LogSourceError({
    isDamaged: false,
    message: `${file} is a partial export ("${part}"). Only a full export can be verified: run trail export without `
      + "filters and without flags that add data"
  })

const noExport = (file: string) =>
  new LogSourceError({
    isDamaged: false,
    message: `${file} is not an export of a log: it does not begin with events. Write one with sliptrail trail export `
      + "--format ndjson"
  })

/** Searches the text: parsing every line twice would take twice as long. */
const isTreeHead = ({ text }: Line): boolean => text?.includes(`"stream":"${treeHeadStream}"`) === true

const entryOf = ({ isEnded, number, text }: Line): LogEntry => {
  const unreadable = (why: string): LogEntry => ({
    _tag: "Unreadable",
    position: undefined,
    place: `line ${number}`,
    why
  })
  if (text === undefined) return unreadable("it is not valid UTF-8, or it is too long")
  try {
    const value: unknown = JSON.parse(text)
    const event = eventOf(value)
    if (event === undefined) return unreadable("it is not an event, or it has other fields")
    const isAsWritten = isEnded && JSON.stringify(value) === text
    const anomaly = isEnded ? "it has other bytes than were exported" : "its line has no end: the file was cut off"
    return isAsWritten ? { _tag: "Event", event } : { _tag: "Event", event, anomaly }
  } catch (cause) {
    return unreadable(cause instanceof Error ? cause.message : String(cause))
  }
}

const FIELDS = ["data", "id", "metadata", "position", "revision", "stream", "type"].join()

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The event of a line; undefined for anything else. An extra field is refused, because no hash covers it. */
const eventOf = (value: unknown) => {
  if (!isObject(value) || Object.keys(value).sort().join() !== FIELDS) return undefined
  const { data, id, metadata, position: at, revision, stream, type } = value
  const position = typeof at === "string" ? parsePosition(at) : undefined
  const isWhole = position !== undefined && formatPosition(position) === at && typeof id === "string"
    && typeof stream === "string"
    && typeof revision === "number" && typeof type === "string"
  if (!isWhole || data === undefined || !isObject(data) || metadata === undefined || !isObject(metadata)) {
    return undefined
  }
  return { id, type, data, metadata: metadata as EventMetadata & JsonObject, stream, revision, position }
}
