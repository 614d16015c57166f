import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { handlesStream, type Projection } from "../../../../projections/engine/projection.ts"
import { modelName, shadowName } from "../../../../projections/engine/model-name.ts"
import {
  beginning,
  formatPosition,
  type JsonObject,
  type RecordedEvent
} from "../../../../domain/events/recorded-event.ts"
import type { Write } from "../../../../ports/read-models.ts"
import { type Amounts, sumOf, withAmounts } from "../../row-change.ts"
import { makeBeginModel, makeTransaction } from "./apply-batch.ts"

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
  const [rows, members] = [`row_writes_${index}`, `member_writes_${index}`]
  database.exec(`CREATE TABLE ${rows}(seq INTEGER PRIMARY KEY, tbl TEXT, key TEXT, fields TEXT);
    CREATE TABLE ${members}(seq INTEGER PRIMARY KEY, name TEXT, member TEXT, score REAL, isFixed INTEGER)`)
  const collected = {
    rows: makeCollector(database, `${rows}(tbl, key, fields)`),
    members: makeCollector(database, `${members}(name, member, score, isFixed)`)
  }
  /** The last score of each member: a charge adds its month again. */
  const known = new Map<string, number>()
  const isRepeated = (set: string, member: string, score: number): boolean => {
    const key = `${set}\n${member}`
    if (known.get(key) === score) return true
    if (known.size === MOST_KNOWN) known.clear()
    known.set(key, score)
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
        if (!isRepeated(write.set, write.member, write.score)) {
          collected.members.add(write.set, write.member, write.score, write.isFixed === true ? 1 : 0)
        }
        return
      case "RemoveMember":
        known.delete(`${write.set}\n${write.member}`)
        return collected.members.add(write.set, write.member, null, write.fixedScore === undefined ? 0 : 1)
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
    },
    abandon: () => atomically(() => void removeModel.run(shadow)),
    load: (checkpoint) => {
      try {
        loadRows(database, rows, generation, inSteps)
        loadMembers(database, members, generation, inSteps)
        return atomically(() => setCheckpoint.run(checkpoint, shadow, generation).changes === 1)
      } catch (cause) {
        if (cause instanceof ShadowReplaced) return false
        throw cause
      }
    }
  }
}

class ShadowReplaced extends Error {}

/** Runs the parts of filling a shadow model, so that other connections write the file between two of them. */
interface Steps {
  readonly step: (run: () => void) => void
  readonly perStep: number
}

/** Merges the writes of each row in their order. */
const loadRows = (database: DatabaseSync, from: string, generation: number, { perStep, step }: Steps): void => {
  const sorted = database.prepare(`SELECT tbl, key, fields FROM ${from} ORDER BY tbl, key, seq`).iterate()
  const insert = makeCollector(database, "rows(generation, tbl, key, fields)")
  let next = sorted.next()
  while (next.done !== true) {
    step(() => {
      for (let rows = 0; rows < perStep && next.done !== true; rows++) {
        const { key, tbl } = next.value
        let text: string | undefined
        for (; next.done !== true && next.value["key"] === key && next.value["tbl"] === tbl; next = sorted.next()) {
          const fields = next.value["fields"]
          text = typeof fields !== "string" ? undefined : merged(text, fields)
        }
        if (text !== undefined) insert.add(generation, tbl ?? null, key ?? null, text)
      }
      insert.flush()
    })
  }
  database.exec(`DROP TABLE ${from}`)
}

/** Marks the amounts of `AddToFields` among the collected fields, which are JSON. */
const COUNTED = "+"

const merged = (before: string | undefined, text: string): string => {
  const row: JsonObject = before === undefined ? {} : JSON.parse(before)
  if (text.startsWith(COUNTED)) return JSON.stringify(withAmounts(row, JSON.parse(text.slice(COUNTED.length))))
  return before === undefined ? text : JSON.stringify({ ...row, ...JSON.parse(text) })
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

/**
 * Fills `sets`, `members` (without fixed sets) and `scored`, each in the order of its keys: sets are numbered in the order
 * of their names.
 */
const loadMembers = (database: DatabaseSync, from: string, generation: number, { perStep, step }: Steps): void => {
  database.exec(
    `CREATE TABLE last_members(name TEXT, member TEXT, score REAL, PRIMARY KEY(name, member)) WITHOUT ROWID;
     INSERT INTO last_members SELECT name, member, score
       FROM (SELECT name, member, score, max(seq) FROM ${from} GROUP BY name, member) WHERE score IS NOT NULL;
     CREATE TABLE fixed(name TEXT PRIMARY KEY) WITHOUT ROWID;
     INSERT OR IGNORE INTO fixed SELECT name FROM ${from} WHERE isFixed;
     DROP TABLE ${from};
     CREATE TABLE sizes(id INTEGER PRIMARY KEY, name TEXT, size INTEGER, isFixed INTEGER);
     INSERT INTO sizes(name, size, isFixed)
       SELECT name, count(*), name IN fixed FROM last_members GROUP BY name ORDER BY name;
     CREATE TABLE in_order(id INTEGER PRIMARY KEY, score REAL, member TEXT)`
  )
  const part = database.prepare("SELECT id, name, size, isFixed FROM sizes WHERE id > ? ORDER BY id LIMIT ?")
  const addSets = database.prepare(
    "INSERT INTO sets(generation, name, size) SELECT ?, name, size FROM sizes WHERE id BETWEEN ? AND ? ORDER BY id"
  )
  const membersOf = "FROM sizes CROSS JOIN sets ON generation = ? AND sets.name = sizes.name "
    + "CROSS JOIN last_members ON last_members.name = sizes.name WHERE sizes.id BETWEEN ? AND ?"
  const addMembers = database.prepare(`INSERT INTO members SELECT sets.id, member, score ${membersOf} AND NOT isFixed`)
  const addScored = database.prepare(
    `INSERT INTO scored SELECT sets.id, score, member ${membersOf} ORDER BY sizes.id, score, member`
  )
  const idOf = "(SELECT id FROM sets WHERE generation = ? AND name = ?)"
  const addSomeMembers = database.prepare(
    `INSERT INTO members SELECT ${idOf}, member, score FROM last_members WHERE name = ? AND member > ?
     ORDER BY member LIMIT ${perStep}`
  )
  const lastMember = database.prepare(`SELECT max(member) AS member FROM members WHERE set_id = ${idOf}`)
  const sort = database.prepare(
    "INSERT INTO in_order(score, member) SELECT score, member FROM last_members WHERE name = ? ORDER BY score, member"
  )
  const addSomeScored = database.prepare(
    `INSERT INTO scored SELECT ${idOf}, score, member FROM in_order WHERE id > ? ORDER BY id LIMIT ${perStep}`
  )

  // No member has an empty name.
  const loadLarge = (name: string, size: number, isFixed: boolean) => {
    for (let done = 0, after = ""; !isFixed && done < size; done += perStep) {
      step(() => {
        addSomeMembers.run(generation, name, name, after)
        after = String(lastMember.get(generation, name)?.["member"])
      })
    }
    sort.run(name)
    for (let done = 0; done < size; done += perStep) step(() => void addSomeScored.run(generation, name, done))
    database.exec("DELETE FROM in_order")
  }

  for (let after = 0;;) {
    const sets = part.all(after, perStep)
    const [first] = sets
    if (first === undefined) break
    let [upTo, total] = [after, 0]
    for (const { id, size } of sets) {
      total += Number(size)
      if (total > perStep && upTo > after) break
      upTo = Number(id)
      if (total > perStep) break
    }
    const [from, to] = [after + 1, upTo]
    const isLarge = Number(first["size"]) > perStep
    step(() => {
      addSets.run(generation, from, to)
      if (isLarge) return
      addMembers.run(generation, from, to)
      addScored.run(generation, from, to)
    })
    if (isLarge) loadLarge(String(first["name"]), Number(first["size"]), first["isFixed"] === 1)
    after = upTo
  }
  database.exec("DROP TABLE last_members; DROP TABLE fixed; DROP TABLE sizes; DROP TABLE in_order")
}

/** Collects rows for a table, and inserts many at a time. */
const makeCollector = (database: DatabaseSync, into: string) => {
  const columns = into.split(",").length
  const row = `(${Array(columns).fill("?").join(", ")})`
  const insert = (rows: number) => database.prepare(`INSERT INTO ${into} VALUES ${Array(rows).fill(row).join(", ")}`)
  const [many, one] = [insert(ROWS_PER_STATEMENT), insert(1)]
  const full = ROWS_PER_STATEMENT * columns
  let values: Array<SQLInputValue> = []
  return {
    add: (...row: ReadonlyArray<SQLInputValue>): void => {
      for (const value of row) values.push(value)
      if (values.length < full) return
      many.run(...values)
      values = []
    },
    flush: (): void => {
      for (let at = 0; at < values.length; at += columns) one.run(...values.slice(at, at + columns))
      values = []
    }
  }
}

const ROWS_PER_STATEMENT = 32

/** Some hundred kilobytes. */
const MOST_KNOWN = 2_000
