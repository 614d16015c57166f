import { rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { modelName, shadowName } from "../../../../../projections/engine/model-name.ts"
import type { Difference, ModelDifferences } from "../../../../../projections/engine/model-difference.ts"
import type { Projection } from "../../../../../projections/engine/projection.ts"
import { openLogPages } from "../events/log-pages.ts"
import { faultsOfPages } from "../own-schema.ts"
import { openBuild } from "./build-models.ts"
import { compareContent } from "./compare-content.ts"
import { faultsOfModelsSchema, openTables } from "./database.ts"
import { contentInFile } from "./model-content.ts"
import { readPosition } from "./tables.ts"

export interface ComparedFiles {
  /** The file of the log. */
  readonly log: string
  /** The file of the read models. A service may write it meanwhile. */
  readonly models: string
  /** A file in an empty folder, for the models that the log gives. */
  readonly scratch: string
}

/** The most differences of a model that are described. */
export const MOST_DIFFERENCES = 20

const MOST_PAGE_FAULTS = 5

/**
 * Builds models from the log, up to the checkpoint of each, and compares them with those of the file. The result has only
 * the models that differ. Throws what SQLite throws.
 */
export const compareModels = (
  { log, models, scratch }: ComparedFiles,
  projections: ReadonlyArray<Projection>
): ReadonlyArray<ModelDifferences> => {
  const database = new DatabaseSync(models, { readOnly: true })
  try {
    database.exec("PRAGMA busy_timeout = 5000; PRAGMA cache_size = -16384")
    const faults = [...faultsOfModelsSchema(database), ...faultsOfPages(database, MOST_PAGE_FAULTS)]
    if (faults.length > 0) return projections.map(({ name }) => ofFile(name, faults.map(describeFault)))
    // One state of the file for everything that follows.
    database.exec("BEGIN")
    const checkpoint = database.prepare("SELECT position FROM models WHERE name = ?")
    const upTo = (projection: Projection) =>
      Number(readPosition(checkpoint.get(modelName(projection))?.["position"]).commit)
    // Models at the same position share a reading of the log. Without load all of them are at its end.
    return Array.from(new Set(projections.map(upTo))).flatMap((position) => {
      // The log was cut off, or is another one. Its verification says so, and the next start builds the models again.
      if (position > headOf(log)) return []
      const group = projections.filter((projection) => upTo(projection) === position)
      const failed = build({ log, scratch }, group, position)
      const fresh = new DatabaseSync(scratch, { readOnly: true })
      try {
        return group.flatMap((projection): ReadonlyArray<ModelDifferences> => {
          const { name } = projection
          const model = modelName(projection)
          if (failed.has(model)) return [ofFile(name, ["its projection fails on an event of the log"])]
          const compared = compareContent(
            contentInFile(database, model),
            contentInFile(fresh, shadowName(model)),
            { most: MOST_DIFFERENCES }
          )
          return compared.count === 0 ? [] : [{ name, ...compared }]
        })
      } finally {
        fresh.close()
      }
    })
  } finally {
    database.close()
  }
}

const headOf = (log: string): number => {
  const pages = openLogPages(log)
  try {
    return pages.head()
  } finally {
    pages.close()
  }
}

const describeFault = (fault: string): string => `its file was changed or is damaged: ${fault}`

const ofFile = (name: string, reasons: ReadonlyArray<string>): ModelDifferences => ({
  name,
  differences: reasons.map((why): Difference => ({ _tag: "file", why })),
  count: reasons.length
})

/** Builds models in a new file. Returns those whose projection fails. */
const build = (
  { log, scratch }: Pick<ComparedFiles, "log" | "scratch">,
  projections: ReadonlyArray<Projection>,
  upTo: number
): ReadonlySet<string> => {
  const part = `${scratch}.part`
  for (const file of [scratch, `${scratch}-wal`, `${scratch}-shm`, part]) rmSync(file, { force: true })
  openTables(scratch).tables.close()
  const pages = openLogPages(log)
  const built = openBuild({ file: scratch, projections, parts: [part], part: 0 })
  try {
    const { writes, upTo: checkpoint } = built.collect(pages.pages(0, upTo))
    const failed = new Set<string>()
    for (const model of projections.map(modelName)) {
      const collected = writes.get(model)
      if (collected === undefined) {
        failed.add(model)
        continue
      }
      built.sort(model, collected)
      built.fill(model, checkpoint)
    }
    return failed
  } finally {
    built.close()
    pages.close()
  }
}
