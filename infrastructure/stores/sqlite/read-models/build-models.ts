import { DatabaseSync } from "node:sqlite"
import { handlesStream, type Projection } from "../../../../projections/engine/projection.ts"
import { modelName, shadowName } from "../../../../projections/engine/model-name.ts"
import { beginning, formatPosition, type RecordedEvent } from "../../../../domain/events/recorded-event.ts"
import type { Write } from "../../../../ports/read-models.ts"
import { type Amounts, sumOf } from "../../../../projections/engine/row-change.ts"
import { makeBeginModel, makeTransaction } from "./apply-batch.ts"
import { COUNTED, loadRows, makeCollector, ShadowReplaced, type Steps } from "./load-models.ts"
import { loadFixedMembers, loadMembers } from "./load-sets.ts"

export interface BuildOptions {
  /** The file of the read models. Other connections may write it meanwhile. */
  readonly file: string
  readonly projections: ReadonlyArray<Projection>
  /** The events of the log in order, in pages. They are read once for all projections. */
  readonly pages: Iterable<ReadonlyArray<RecordedEvent>>
  /** Rows or members of one transaction, for which other connections wait. */
  readonly perStep?: number
}

/** Some ten milliseconds. */
const PER_STEP = 20_000

/**
 * Builds the shadow models of projections from all events, and returns the names of the models whose shadows are complete.
 * A projection that throws on an event has no shadow model then. Throws what SQLite throws; a shadow model that is not
 * complete has the checkpoint `beginning`.
 *
 * The writes are collected in a temporary file and sorted there. So every table of the read models is filled in the
 * order of its keys, and each of its pages is written once: the time for an event does not grow with the log. Writing
 * them batch by batch would write a page for almost every member of a large set.
 */
export const buildModels = (
  { file, pages, perStep = PER_STEP, projections }: BuildOptions
): ReadonlyArray<string> => {
  // SQLite deletes the temporary file itself, also after a crash.
  const database = new DatabaseSync("")
  try {
    database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768")
    database.exec("PRAGMA busy_timeout = 30000; PRAGMA wal_autocheckpoint = 4096")
    database.prepare("ATTACH ? AS models_file").run(file)
    database.exec("PRAGMA models_file.synchronous = NORMAL; PRAGMA models_file.cache_size = -16384")
    const all = projections.map((projection, index) => makePart(database, projection, index, perStep))
    let parts = all
    let last = beginning
    database.exec("BEGIN")
    for (const page of pages) {
      parts = parts.filter((part) => part.collect(page))
      last = page.at(-1)?.position ?? last
    }
    for (const part of parts) part.flush()
    database.exec("COMMIT")
    for (const part of all) if (!parts.includes(part)) part.abandon()
    return parts.flatMap((part) => part.load(formatPosition(last)) ? [part.model] : [])
  } finally {
    database.close()
  }
}

/** What is built for one model. */
interface Part {
  readonly model: string
  /** Collects the writes of a page. False when the projection throws on one of its events. */
  readonly collect: (page: ReadonlyArray<RecordedEvent>) => boolean
  readonly flush: () => void
  /** Removes the shadow model. */
  readonly abandon: () => void
  /** Fills the shadow model. False when another process has cleared or replaced the shadow model meanwhile. */
  readonly load: (checkpoint: string) => boolean
}

const makePart = (database: DatabaseSync, projection: Projection, index: number, perStep: number): Part => {
  const model = modelName(projection)
  const shadow = shadowName(model)
  const [rows, members, fixed] = [`row_writes_${index}`, `member_writes_${index}`, `fixed_writes_${index}`]
  database.exec(`CREATE TABLE ${rows}(seq INTEGER PRIMARY KEY, tbl TEXT, key TEXT, fields TEXT);
    CREATE TABLE ${members}(seq INTEGER PRIMARY KEY, name TEXT, member TEXT, score REAL);
    CREATE TABLE ${fixed}(seq INTEGER PRIMARY KEY, name TEXT, member TEXT, score REAL, isAdded INTEGER)`)
  const collected = {
    rows: makeCollector(database, `${rows}(tbl, key, fields)`),
    members: makeCollector(database, `${members}(name, member, score)`),
    fixed: makeCollector(database, `${fixed}(name, member, score, isAdded)`)
  }
  /** The last member of each set: every charge adds its month again, and every event its hour. */
  const last = new Map<string, { readonly member: string; readonly score: number }>()
  const isRepeated = (set: string, member: string, score: number): boolean => {
    const before = last.get(set)
    if (before?.member === member && before.score === score) return true
    if (before === undefined && last.size === MOST_KNOWN) last.clear()
    last.set(set, { member, score })
    return false
  }

  const counters = makeCounters((table, key, amounts) =>
    collected.rows.add(table, key, COUNTED + JSON.stringify(amounts))
  )

  const add = (write: Write) => {
    switch (write._tag) {
      case "AddToFields":
        return counters.add(write)
      case "SetFields":
        counters.flushRow(write)
        return collected.rows.add(write.table, write.key, JSON.stringify(write.fields))
      case "DeleteRow":
        counters.flushRow(write)
        return collected.rows.add(write.table, write.key, null)
      case "AddMember":
        if (write.isFixed === true) return collected.fixed.add(write.set, write.member, write.score, 1)
        if (!isRepeated(write.set, write.member, write.score)) {
          collected.members.add(write.set, write.member, write.score)
        }
        return
      case "RemoveMember":
        if (write.fixedScore !== undefined) return collected.fixed.add(write.set, write.member, write.fixedScore, 0)
        last.delete(write.set)
        return collected.members.add(write.set, write.member, null)
    }
  }

  const atomically = makeTransaction(database, "BEGIN IMMEDIATE")
  const removeModel = database.prepare("DELETE FROM models WHERE name = ?")
  const beginModel = makeBeginModel(database)
  const generation = atomically(() => {
    removeModel.run(shadow)
    return beginModel(shadow)
  })
  const isOurs = database.prepare("SELECT 1 AS found FROM models WHERE name = ? AND generation = ?")
  const setCheckpoint = database.prepare("UPDATE models SET position = ? WHERE name = ? AND generation = ?")

  const inSteps: Steps = {
    perStep,
    step: (run) =>
      atomically(() => {
        if (isOurs.get(shadow, generation) === undefined) throw new ShadowReplaced()
        run()
      })
  }

  return {
    model,
    collect: (page) => {
      try {
        for (const event of page) if (handlesStream(projection, event.stream)) projection.when(event).forEach(add)
        return true
      } catch {
        // The projector stops in front of this event, and reports it.
        return false
      }
    },
    flush: () => {
      counters.flush()
      collected.rows.flush()
      collected.members.flush()
      collected.fixed.flush()
    },
    abandon: () => atomically(() => void removeModel.run(shadow)),
    load: (checkpoint) => {
      try {
        loadRows(database, rows, generation, inSteps)
        loadMembers(database, members, generation, inSteps)
        loadFixedMembers(database, fixed, generation, inSteps)
        return atomically(() => setCheckpoint.run(checkpoint, shadow, generation).changes === 1)
      } catch (cause) {
        if (cause instanceof ShadowReplaced) return false
        throw cause
      }
    }
  }
}

type RowName = Pick<Extract<Write, { readonly _tag: "SetFields" }>, "table" | "key">

/** Adds up the amounts of each row in memory, so that an hour of events is collected as a few rows. */
const makeCounters = (collect: (table: string, key: string, amounts: Amounts) => void) => {
  const counted = new Map<string, RowName & { readonly amounts: Amounts }>()
  const nameOf = ({ key, table }: RowName): string => `${table}\n${key}`
  const flush = () => {
    for (const { amounts, key, table } of counted.values()) collect(table, key, amounts)
    counted.clear()
  }
  return {
    add: ({ amounts, key, table }: RowName & { readonly amounts: Amounts }) => {
      const name = nameOf({ key, table })
      const before = counted.get(name)
      if (before === undefined && counted.size === MOST_KNOWN) flush()
      counted.set(name, { table, key, amounts: before === undefined ? amounts : sumOf(before.amounts, amounts) })
    },
    /** Before another write to the row: amounts that were added first belong before it. */
    flushRow: (row: RowName) => {
      const before = counted.get(nameOf(row))
      if (before === undefined) return
      counted.delete(nameOf(row))
      collect(before.table, before.key, before.amounts)
    },
    flush
  }
}

/** Some hundred kilobytes. */
const MOST_KNOWN = 2_000
