import { Layer } from "effect"
import { hash, randomBytes, randomUUID } from "node:crypto"
import { Identifiers } from "../../../ports/identifiers.ts"
import { uuidV7 } from "../../platform/uuid.ts"

/** The namespace of derived ids (RFC 9562, section 5.5). A change would give every derived id another value. */
const NAMESPACE = Buffer.from("5b0b3f0e7c5d4a1b9f2e6d8c4a3b2c1d", "hex")

/** The namespace and the name. */
let named = Buffer.concat([NAMESPACE], 512)

/** The variant digit of a UUID: two of its four bits are free. */
const VARIANTS = "89ab"

const uuidV5 = (name: string): string => {
  const most = NAMESPACE.length + 3 * name.length
  if (most > named.length) named = Buffer.concat([NAMESPACE], most)
  const hex = hash("sha1", named.subarray(0, NAMESPACE.length + named.write(name, NAMESPACE.length)), "hex")
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 0x3] ?? ""
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${
    hex.slice(20, 32)
  }`
}

/** Ids and secrets from the runtime's cryptographic randomness. */
export const layerIdentifiers: Layer.Layer<Identifiers> = Layer.succeed(
  Identifiers,
  Identifiers.of({
    random: randomUUID,
    newId: () => uuidV7(),
    derived: uuidV5,
    webhookSecret: () => `whsec_${randomBytes(32).toString("base64")}`,
    operatorToken: () => `slt_${randomBytes(32).toString("base64url")}`
  })
)
