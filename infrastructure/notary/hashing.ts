import { Layer } from "effect"
import { hash } from "node:crypto"
import { Hashing } from "../../application/ports/notary.ts"
import type { Sha256 } from "../../domain/proof/sha256.ts"

export const sha256: Sha256 = (data) => hash("sha256", data, "buffer")

export const layerHashing: Layer.Layer<Hashing> = Layer.succeed(Hashing, sha256)
