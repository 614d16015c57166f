import { Context, Effect, Layer } from "effect"
import { join } from "node:path"
import {
  layerClaimsMemory,
  layerLeasesMemory
} from "../../../../../../infrastructure/adapters/stores/memory/coordination.ts"
import { layerQuotaEmbedded } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/quota.ts"
import {
  type EmbeddedReadModelsOptions,
  layerReadModelsEmbedded
} from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { claimsContract } from "../../../../../contracts/claims.ts"
import { leasesContract } from "../../../../../contracts/leases.ts"
import { quotaContract } from "../../../../../contracts/quota.ts"
import { readModelsContract } from "../../../../../contracts/read-models.ts"
import { temporaryFolder } from "../../../../../support/temporary-folder.ts"
import { readyWriter } from "./ready-writer.ts"
import { damageInUse } from "./damage.ts"

class File extends Context.Service<File, string>()("test/File") {}

/** The embedded engine in a folder that does not exist yet. */
const layerInNewFolder = (options: Omit<EmbeddedReadModelsOptions, "file">) => () =>
  Layer.unwrap(Effect.map(temporaryFolder, (folder) => {
    const file = join(folder, "data", "models.db")
    return Layer.merge(layerReadModelsEmbedded({ file, ...options }), Layer.succeed(File, file))
  }))

for (const [suffix, options] of [["", {}], [" with a writer thread", { writer: readyWriter }]] as const) {
  const engine = layerInNewFolder(options)
  readModelsContract(`the embedded engine${suffix}`, engine, { lose: File.use(damageInUse) })
  quotaContract(`the embedded engine${suffix}`, { engine, quota: layerQuotaEmbedded })
}
leasesContract("the embedded engine", () => Layer.fresh(layerLeasesMemory))
claimsContract("the embedded engine", { layer: () => Layer.fresh(layerClaimsMemory) })
