import { randomUUID } from "node:crypto"
import { appendFileSync, existsSync, readFileSync } from "node:fs"

/** An event as a client sends it. */
export interface Proposed {
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
}

export interface LogPosition {
  readonly commit: bigint
  readonly prepare: bigint
}

export interface Logged extends Proposed {
  readonly stream: string
  readonly revision: number
  readonly position: LogPosition
  /** Ticks of 100 ns since 1970. */
  readonly created: bigint
}

export type Expected = "any" | "no-stream" | "stream-exists" | number

export type Outcome =
  | { readonly _tag: "Appended"; readonly revision: number; readonly position: LogPosition | undefined }
  /** `current` is -1 when there is no stream. */
  | { readonly _tag: "WrongExpectedVersion"; readonly current: number }
  /** An equal append is in the log, and not yet in the index. */
  | { readonly _tag: "IdempotentNotReady" }
  | { readonly _tag: "StreamDeleted" }

export interface ServerLog {
  readonly all: ReadonlyArray<Logged>
  /** What a read of the stream returns; undefined when it does not exist, or when it is deleted until the next append. */
  readonly stream: (name: string) => ReadonlyArray<Logged> | undefined
  readonly isDeleted: (name: string) => boolean
  /**
   * Sets the metadata `$tb` of a stream: events before this revision are no longer read. They stay in `all`. When it is beyond
   * the end, a read has no events, and an append at "no stream" says that there is a stream.
   */
  readonly truncate: (name: string, before: number) => void
  /** Sets the metadata `$maxCount` or `$maxAge` of a stream: other events of it are no longer read. They stay in `all`. */
  readonly limit: (name: string, limits: StreamLimits) => void
  /** Deletes a stream until the next append, which gets the next revision. */
  readonly softDelete: (name: string) => void
  /** Deletes a stream for ever: writes `$streamDeleted` into it (a tombstone). */
  readonly delete: (name: string) => void
  readonly append: (stream: string, expected: Expected, events: ReadonlyArray<Proposed>) => Outcome
  /** Calls back when every append so far is in the index. An append is answered then. */
  readonly whenIndexed: (listener: () => void) => void
  /** Index of the first event at or after this position. */
  readonly indexAt: (position: LogPosition) => number
  /** Calls back after every append until the returned function is called. */
  readonly onAppend: (listener: () => void) => () => void
}

export interface StreamLimits {
  readonly maxCount?: number | undefined
  readonly maxAgeMillis?: number | undefined
}

/** The metadata of a stream; `$maxAge` in seconds. */
interface Metadata {
  readonly $tb?: number
  readonly $maxCount?: number
  readonly $maxAge?: number
}

/** The time until an append is in the index. */
const INDEX_MILLIS = 1

/**
 * A log with the rules of EventStoreDB's index writer, in memory. With a file, each append is also a line of JSON there,
 * so that a restarted server has the log.
 *
 * The events of one append share their commit position, as those of an explicit transaction do, and positions have
 * gaps. A client that keeps only one of the two numbers loses events here.
 */
export const makeServerLog = (file?: string): ServerLog => {
  const all: Array<Logged> = []
  const streams = new Map<string, Array<Logged>>()
  const truncatedBefore = new Map<string, number>()
  const limits = new Map<string, StreamLimits>()
  const softDeleted = new Set<string>()
  const deleted = new Set<string>()
  const listeners = new Set<() => void>()

  const write = (stream: string, events: ReadonlyArray<Proposed>, created: bigint): void => {
    const recorded = streams.get(stream) ?? []
    let end = all.at(-1)?.position.commit ?? 0n
    const prepares = events.map(({ data, metadata }) => end += BigInt(64 + data.length + metadata.length))
    for (const [index, event] of events.entries()) {
      const position = { commit: end, prepare: prepares[index] ?? end }
      const logged = { ...event, stream, revision: recorded.length, position, created }
      recorded.push(logged)
      all.push(logged)
    }
    if (events.length > 0) streams.set(stream, recorded)
  }

  const writeTombstone = (stream: string): void => {
    const end = (all.at(-1)?.position.commit ?? 0n) + 64n
    const nothing = { contentType: "application/octet-stream", data: new Uint8Array(), metadata: new Uint8Array() }
    const created = BigInt(Date.now()) * 10_000n
    const position = { commit: end, prepare: end }
    all.push({ ...nothing, id: randomUUID(), type: "$streamDeleted", stream, revision: 2 ** 63 - 1, position, created })
    indexed = all.length
  }

  /** Applies the metadata in the last event of a stream of metadata. */
  const setMetadata = (stream: string, events: ReadonlyArray<Proposed>): void => {
    const last = events.at(-1)
    // The server ignores metadata that it cannot read.
    if (last?.contentType !== "application/json") return
    const metadata = JSON.parse(Buffer.from(last.data).toString("utf8")) as Metadata
    const { $maxAge: age, $maxCount: maxCount, $tb: before } = metadata
    if (before !== undefined) truncatedBefore.set(stream, before)
    limits.set(stream, { maxCount, maxAgeMillis: age === undefined ? undefined : age * 1_000 })
  }

  if (file !== undefined && existsSync(file)) {
    for (const line of readFileSync(file, "utf8").split("\n")) {
      // The last line may be torn by a kill; it was never acknowledged.
      if (line.endsWith("]")) write(...parseLine(line))
    }
  }

  const indexAt = ({ commit, prepare }: LogPosition): number => {
    let [low, high] = [0, all.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const at = all[middle]?.position ?? { commit, prepare }
      if (at.commit < commit || (at.commit === commit && at.prepare < prepare)) low = middle + 1
      else high = middle
    }
    return low
  }

  let indexed = all.length
  let waiting: Array<() => void> = []
  const index = (): void => {
    indexed = all.length
    const listening = waiting
    waiting = []
    for (const listener of listening) listener()
  }

  return {
    all,
    stream: (name) => {
      if (softDeleted.has(name)) return undefined
      const { maxAgeMillis = Infinity, maxCount = Infinity } = limits.get(name) ?? {}
      const oldest = Date.now() - maxAgeMillis
      return streams.get(name)?.slice(truncatedBefore.get(name))
        .slice(-maxCount)
        .filter(({ created }) => Number(created / 10_000n) > oldest)
    },
    isDeleted: (name) => deleted.has(name),
    truncate: (name, before) => void truncatedBefore.set(name, before),
    limit: (name, limitsOfStream) => void limits.set(name, limitsOfStream),
    softDelete: (name) => {
      softDeleted.add(name)
    },
    delete: (name) => {
      deleted.add(name)
      writeTombstone(name)
      for (const listener of listeners) listener()
    },
    append: (stream, expected, events) => {
      if (deleted.has(stream)) return { _tag: "StreamDeleted" }
      const recorded = streams.get(stream) ?? []
      const isSoftDeleted = softDeleted.has(stream)
      const decided = decide(recorded, isSoftDeleted && expected === "no-stream" ? "any" : expected, events)
      if (decided?._tag === "Appended" && decided.position !== undefined && indexAt(decided.position) >= indexed) {
        return { _tag: "IdempotentNotReady" }
      }
      if (decided !== undefined) return decided
      if (softDeleted.delete(stream)) truncatedBefore.set(stream, recorded.length)
      if (indexed === all.length) setTimeout(index, INDEX_MILLIS)
      const created = BigInt(Date.now()) * 10_000n
      if (file !== undefined) appendFileSync(file, formatLine(stream, events, created))
      write(stream, events, created)
      if (stream.startsWith("$$")) setMetadata(stream.slice(2), events)
      for (const listener of listeners) listener()
      const last = streams.get(stream)?.at(-1)
      return { _tag: "Appended", revision: last?.revision ?? -1, position: last?.position }
    },
    whenIndexed: (listener) => {
      if (indexed === all.length) listener()
      else waiting.push(listener)
    },
    indexAt,
    onAppend: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}

/** The outcome of an append that writes nothing. Undefined when the append must be written. */
const decide = (
  recorded: ReadonlyArray<Logged>,
  expected: Expected,
  events: ReadonlyArray<Proposed>
): Outcome | undefined => {
  const current = recorded.length - 1
  const wrong: Outcome = { _tag: "WrongExpectedVersion", current }
  const repeated = (from: number): Outcome | undefined => {
    if (events.length === 0 || from < 0) return undefined
    const known = events.map(({ id }, index) => recorded[from + index]?.id === id)
    const last = recorded[from + events.length - 1]
    if (known.every(Boolean) && last !== undefined) {
      return { _tag: "Appended", revision: last.revision, position: last.position }
    }
    // Only the first events of the append are in the log.
    return known[0] === true ? wrong : undefined
  }
  if (expected === "any" || expected === "stream-exists") {
    if (expected === "stream-exists" && current < 0) return wrong
    return repeated(recorded.findIndex(({ id }) => id === events[0]?.id))
  }
  const expectedCurrent = expected === "no-stream" ? -1 : expected
  if (expectedCurrent < current) return repeated(expectedCurrent + 1) ?? wrong
  return expectedCurrent > current ? wrong : undefined
}

const formatLine = (stream: string, events: ReadonlyArray<Proposed>, created: bigint): string => {
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")
  const flat = events.map((event) => ({ ...event, data: base64(event.data), metadata: base64(event.metadata) }))
  return `${JSON.stringify([stream, String(created), flat])}\n`
}

type FlatEvent = { readonly [K in keyof Proposed]: string }

const parseLine = (line: string): [string, ReadonlyArray<Proposed>, bigint] => {
  const [stream, created, flat] = JSON.parse(line) as [string, string, ReadonlyArray<FlatEvent>]
  const events = flat.map((event) => ({
    ...event,
    data: Buffer.from(event.data, "base64"),
    metadata: Buffer.from(event.metadata, "base64")
  }))
  return [stream, events, BigInt(created)]
}
