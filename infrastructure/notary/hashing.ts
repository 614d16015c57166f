import { Layer } from "effect"
import { Hashing } from "../../ports/notary.ts"
import { sha256 } from "../sha256.ts"

export const layerHashing: Layer.Layer<Hashing> = Layer.succeed(Hashing, sha256)
