import { Layer } from "effect"
import { layerClaimsEmbedded } from "../../../../../infrastructure/stores/sqlite/read-models/claims.ts"
import { claimsContract } from "../../../../contracts/claims.ts"

claimsContract("the embedded engine", { layer: () => Layer.fresh(layerClaimsEmbedded) })
