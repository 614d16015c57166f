import { DatabaseSync } from "node:sqlite"
import { beginning, formatPosition, type RecordedEvent } from "../../../../../domain/events/recorded-event.ts"
import { modelName, shadowName } from "../../../../../projections/engine/model-name.ts"
import type { Projection } from "../../../../../projections/engine/projection.ts"
import { makeBeginModel, makeTransaction } from "./apply-batch.ts"
import { collectedTables, type CollectedWrites, makeWriteCollector } from "./collect-writes.ts"
import { fillModel, ShadowReplaced } from "./fill-models.ts"
import { sortedTables, sortFixedMembers, sortMembers, sortRows } from "./sort-writes.ts"

export interface BuildOptions {
  /** The file of the read models. Other connections may write it meanwhile. */
  readonly file: string
  readonly projections: ReadonlyArray<Projection>
  /**
   * Files for the writes of each part of the log. They are created when they are missing. The builders of all parts name
   * the same files.
   */
  readonly parts: ReadonlyArray<string>
  /** The index of the part that this builder collects. */
  readonly part: number
  /** Rows or members of one transaction, for which other connections wait. */
  readonly perStep?: number
  /** Runs each transaction on the read models. */
  readonly inStep?: (run: () => void) => void
}

/** What a builder collected from its part of the log. */
export interface CollectedPart {
  /** By model. A model whose projection throws on an event is missing. */
  readonly writes: ReadonlyMap<string, CollectedWrites>
  /** The position of the last event; `beginning` when there was none. */
  readonly upTo: string
}

/**
 * Builds shadow models from all events, together with the builders of the other parts of the log. First each collects
 * the writes of its part. Then each sorts and fills some of the models. Every method throws what SQLite throws.
 */
export interface PartialBuild {
  /** Collects the writes of the events of this part for all models. */
  readonly collect: (pages: Iterable<ReadonlyArray<RecordedEvent>>) => CollectedPart
  /** Sorts the writes to a model that every part has collected, in a temporary file. */
  readonly sort: (model: string, collected: Pick<CollectedWrites, "hasRemovals">) => void
  /**
   * Fills the shadow of a model that this builder has sorted. The checkpoint is set last. False when another process has
   * cleared or replaced the shadow meanwhile. When two builders fill at the same time, each waits most of it for the other.
   */
  readonly fill: (model: string, checkpoint: string) => boolean
  readonly close: () => void
}

/** Some ten milliseconds. */
const PER_STEP = 20_000

/**
 * Opens a builder, and removes the shadows of its models.
 *
 * The writes are collected in a file for each part, and sorted in a temporary file. So every table of the read models is
 * filled in the order of its keys, and each of its pages is written once: the time for an event does not grow with the
 * log. Writing them batch by batch would write a page for almost every member of a large set.
 */
export const openBuild = (
  { file, inStep = (run) => run(), part, parts, perStep = PER_STEP, projections }: BuildOptions
): PartialBuild => {
  // SQLite deletes the temporary file itself, also after a crash.
  const database = new DatabaseSync("")
  // Hot path: a sort that fits in the cache of a processor takes two thirds of the time. Large pages need fewer calls of the
  // system: a tenth of the processor time of a build. Guarded by `npm run bench -- rebuild`.
  database.exec(
    "PRAGMA page_size = 16384; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096"
  )
  database.exec("PRAGMA busy_timeout = 30000; PRAGMA wal_autocheckpoint = 16384")
  database.prepare("ATTACH ? AS models_file").run(file)
  database.exec("PRAGMA models_file.synchronous = NORMAL; PRAGMA models_file.cache_size = -16384")
  for (const [index, path] of parts.entries()) {
    database.prepare(`ATTACH ? AS ${partName(index)}`).run(path)
    database.exec(
      `PRAGMA ${partName(index)}.page_size = 16384; PRAGMA ${partName(index)}.journal_mode = MEMORY; PRAGMA ${
        partName(index)
      }.synchronous = OFF`
    )
  }

  // `IMMEDIATE` would lock the files of the parts too. Every transaction begins with a write to the read models.
  const atomically = makeTransaction(database, "BEGIN")
  const removeModel = database.prepare("DELETE FROM models WHERE name = ?")
  const beginModel = makeBeginModel(database)
  const setCheckpoint = database.prepare("UPDATE models SET position = ? WHERE name = ? AND generation = ?")
  const models = projections.map(modelName)
  inStep(() =>
    atomically(() => {
      for (const model of models) removeModel.run(shadowName(model))
    })
  )

  /** Makes a view of the writes of all parts. Those of later parts have higher numbers. */
  const viewOf = (view: string, table: string, columns: string): string => {
    const selects = parts.map((_, index) =>
      `SELECT seq + ${index * MOST_OF_PART} AS seq, ${columns} FROM ${partName(index)}.${table}`
    )
    database.exec(`DROP VIEW IF EXISTS ${view}; CREATE TEMP VIEW ${view} AS ${selects.join(" UNION ALL ")}`)
    return view
  }

  return {
    collect: (pages) => {
      const writes = new Map<string, CollectedWrites>()
      let upTo = beginning
      database.exec("BEGIN")
      const all = projections.map((projection, index) =>
        makeWriteCollector(database, partName(part), projection, index)
      )
      const failed = new Set<typeof all[number]>()
      for (const page of pages) {
        for (const collector of all) if (!failed.has(collector) && !collector.collect(page)) failed.add(collector)
        upTo = page.at(-1)?.position ?? upTo
      }
      for (const [index, model] of models.entries()) {
        const collector = all[index]
        if (collector !== undefined && !failed.has(collector)) writes.set(model, collector.flush())
      }
      database.exec("COMMIT")
      return { writes, upTo: formatPosition(upTo) }
    },
    sort: (model, collected) => {
      const index = models.indexOf(model)
      const { fixed, members, rows } = collectedTables(index)
      const sorted = sortedTables(index)
      sortRows(database, viewOf("row_writes", rows, "tbl, key, fields"), sorted)
      sortMembers(database, viewOf("member_writes", members, "name, member, score"), sorted)
      sortFixedMembers(database, viewOf("fixed_writes", fixed, "name, member, score, isAdded"), sorted, collected)
    },
    fill: (model, checkpoint) => {
      const shadow = shadowName(model)
      let generation = 0
      const inOneStep = (run: () => void) => inStep(() => atomically(run))
      const step = (run: () => void) =>
        inOneStep(() => {
          const { changes } = setCheckpoint.run(formatPosition(beginning), shadow, generation)
          if (changes === 0) throw new ShadowReplaced()
          run()
        })
      inOneStep(() => {
        // Another rebuild may have begun one since.
        removeModel.run(shadow)
        generation = beginModel(shadow)
      })
      try {
        fillModel({ database, generation, step, perStep }, sortedTables(models.indexOf(model)))
        step(() => void setCheckpoint.run(checkpoint, shadow, generation))
        return true
      } catch (cause) {
        if (cause instanceof ShadowReplaced) return false
        throw cause
      }
    },
    close: () => database.close()
  }
}

const partName = (index: number): string => `part_${index}`

/** More writes than a part has. */
const MOST_OF_PART = 2 ** 40
