import { Layer } from "effect"
import { layerClaimsEmbedded } from "../../../../infrastructure/readmodels/embedded/claims.ts"
import { claimsContract } from "../../../contracts/claims.ts"

claimsContract("the embedded engine", { layer: () => Layer.fresh(layerClaimsEmbedded) })
