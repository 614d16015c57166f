import { generateKeyPairSync } from "node:crypto"

/** A new key as a value of the setting `SIGNING_KEY`. */
export const signingKeySetting = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "der" }).toString("base64")
