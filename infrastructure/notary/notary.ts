import { Layer } from "effect"
import { createPublicKey, type KeyObject, sign } from "node:crypto"
import { Notary } from "../../ports/notary.ts"
import { keyIdOf } from "./public-keys.ts"

/** The notary under an Ed25519 private key. */
export const layerNotary = (privateKey: KeyObject): Layer.Layer<Notary> =>
  Layer.sync(Notary, () =>
    Notary.of({
      keyId: keyIdOf(createPublicKey(privateKey)),
      sign: (text) => sign(null, Buffer.from(text), privateKey).toString("base64")
    }))
