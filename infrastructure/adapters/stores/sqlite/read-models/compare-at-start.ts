import { DatabaseSync } from "node:sqlite"
import { foldModel } from "../../../../../projections/engine/fold-model.ts"
import { modelName } from "../../../../../projections/engine/model-name.ts"
import type { ModelDifferences } from "../../../../../projections/engine/model-difference.ts"
import type { Projection } from "../../../../../projections/engine/projection.ts"
import { bankAccountsProjection } from "../../../../../projections/models/bank-accounts.ts"
import { branchesProjection } from "../../../../../projections/models/branches.ts"
import { openLogPages } from "../events/log-pages.ts"
import { compareContent } from "./compare-content.ts"
import { type ComparedFiles, MOST_DIFFERENCES } from "./compare-models.ts"
import { contentInFile, contentOf, type MemberTable } from "./model-content.ts"
import { readPosition } from "./tables.ts"

/** API keys, branches with their policies and quotas, services, owners and receiving accounts. */
export const comparedAtStart: ReadonlyArray<Projection> = [branchesProjection, bankAccountsProjection]

/** The days on which keys were used: many events, which decide nothing. */
const USES = "keyUse-"
const USED_ON = /"lastUsedOn":"[^"]*"/u
const withoutUse = (table: string, fields: string): string =>
  table === "keys" ? fields.replace(USED_ON, '"lastUsedOn":null') : fields

/**
 * The sets of `branches` list what its rows decide. The accounts that a slip is compared with are members of sets; the order
 * by name only answers whether one is there.
 */
const ordersOf = (projection: Projection): ReadonlyArray<MemberTable> =>
  projection === bankAccountsProjection ? ["scored"] : []

/**
 * Compares the models that decide who may call, and what a slip is compared with, with the log. It reads the events of their
 * streams only, so the time depends on the number of their rows. The result has only the models that differ. Throws what
 * SQLite throws.
 */
export const compareAtStart = (
  { log, models }: Pick<ComparedFiles, "log" | "models">
): ReadonlyArray<ModelDifferences> => {
  const pages = openLogPages(log)
  const database = new DatabaseSync(models, { readOnly: true })
  try {
    database.exec("PRAGMA busy_timeout = 5000; PRAGMA cache_size = -16384; BEGIN")
    const checkpoint = database.prepare("SELECT position FROM models WHERE name = ?")
    const head = pages.head()
    return comparedAtStart.flatMap((projection): ReadonlyArray<ModelDifferences> => {
      const model = modelName(projection)
      const upTo = Number(readPosition(checkpoint.get(model)?.["position"]).commit)
      // Another part of the start replaces a model that is ahead of the log. An empty one contains nothing.
      if (upTo > head) return []
      const streams = projection.streams.filter((prefix) => prefix !== USES)
      const expected = contentOf(foldModel(projection, pages.ofStreams(streams, upTo)))
      const compared = compareContent(contentInFile(database, model), expected, {
        most: MOST_DIFFERENCES,
        normalize: withoutUse,
        orders: ordersOf(projection)
      })
      return compared.count === 0 ? [] : [{ name: projection.name, ...compared }]
    })
  } finally {
    database.close()
    pages.close()
  }
}
