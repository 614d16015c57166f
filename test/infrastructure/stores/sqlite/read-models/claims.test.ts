import { Layer } from "effect"
import { layerClaimsMemory } from "../../../../../infrastructure/stores/memory/coordination.ts"
import { claimsContract } from "../../../../contracts/claims.ts"

claimsContract("the embedded engine", { layer: () => Layer.fresh(layerClaimsMemory) })
