import { Layer } from "effect"
import { hash, randomBytes, randomUUID } from "node:crypto"
import { Identifiers } from "../../application/ports/identifiers.ts"

/** The name space of derived ids (RFC 9562, section 5.5): a random UUID, fixed for good. */
const NAMESPACE = Buffer.from("5b0b3f0e7c5d4a1b9f2e6d8c4a3b2c1d", "hex")

const uuidV5 = (name: string): string => {
  const bytes = hash("sha1", Buffer.concat([NAMESPACE, Buffer.from(name)]), "buffer")
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString("hex", 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Ids and secrets from the runtime's cryptographic randomness. */
export const layerIdentifiers: Layer.Layer<Identifiers> = Layer.succeed(
  Identifiers,
  Identifiers.of({
    random: randomUUID,
    derived: uuidV5,
    webhookSecret: () => `whsec_${randomBytes(32).toString("base64")}`
  })
)
