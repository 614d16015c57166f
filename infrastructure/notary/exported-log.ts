import { Effect, Stream } from "effect"
import { treeHeadStream } from "../../application/log-proof/tree-head-chain.ts"
import {
  type EventMetadata,
  formatPosition,
  type JsonObject,
  parsePosition
} from "../../domain/events/recorded-event.ts"
import { type LogEntry, type LogSource, LogSourceError } from "../../ports/log-source.ts"
import { type Line, openLines } from "./lines.ts"

/**
 * A log that was exported as a whole, an event a line: {position, id, stream, revision, type, data, metadata}. It is
 * read twice at the same time, line by line, so that it may be as long as it likes.
 */
export const openExportedLog = Effect.fnUntraced(function* (file: string) {
  const lines = yield* openLines(file)
  const ahead = yield* openLines(file)
  const source: LogSource = {
    events: Stream.mapEffect(
      lines,
      Effect.fnUntraced(function* (page) {
        const [part] = page.flatMap(exportOf)
        return part === undefined ? page.map(entryOf) : yield* notWhole(file, part)
      })
    ),
    treeHeads: ahead.pipe(Stream.flattenIterable, Stream.filter(isOfCheckpoints), Stream.map(entryOf))
  }
  return source
})

/** Which export a line says that it belongs to: those of a whole log, which are the log's own, say nothing. */
const exportOf = ({ text }: Line): ReadonlyArray<string> => {
  const [, part] = /,"export":"([\w.:/; -]+)"\}$/u.exec(text?.slice(-LONGEST_MARK) ?? "") ?? []
  return part === undefined ? [] : [part]
}

/** Of marks only the end of a line is looked at, which may be long. */
const LONGEST_MARK = 300

const notWhole = (file: string, part: string) =>
  new LogSourceError({
    isDamaged: false,
    message: `${file} is an export of "${part}": only a whole log can be proven, as trail export writes it without `
      + "flags that choose or show something"
  })

/** Looked for in the text: to read every line twice would take twice as long. */
const isOfCheckpoints = ({ text }: Line): boolean => text?.includes(`"stream":"${treeHeadStream}"`) === true

const entryOf = ({ isEnded, number, text }: Line): LogEntry => {
  const unreadable = (why: string): LogEntry => ({
    _tag: "Unreadable",
    position: undefined,
    place: `line ${number}`,
    why
  })
  if (text === undefined) return unreadable("it is no text in UTF-8, or far too long")
  try {
    const value: unknown = JSON.parse(text)
    const event = eventOf(value)
    if (event === undefined) return unreadable("it is no event, or has other fields than one")
    const isAsWritten = isEnded && JSON.stringify(value) === text
    const anomaly = isEnded ? "it has other bytes than were exported" : "its line has no end: something was cut off"
    return isAsWritten ? { _tag: "Event", event } : { _tag: "Event", event, anomaly }
  } catch (cause) {
    return unreadable(cause instanceof Error ? cause.message : String(cause))
  }
}

const FIELDS = ["data", "id", "metadata", "position", "revision", "stream", "type"].join()

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The event of a line; undefined when it is none. A field too many would be one that nothing proves. */
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
