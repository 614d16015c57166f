import { Context } from "effect"
import type { Sha256 } from "../domain/log-proof/sha256.ts"

/** SHA-256 as the runtime has it. */
export class Hashing extends Context.Service<Hashing, Sha256>()("sliptrail/application/Hashing") {}

/** Signs what was seen, under a key that nobody else has. */
export class Notary extends Context.Service<Notary, {
  /** By this name signatures tell which public key they want: 16 hexadecimal digits of its digest. */
  readonly keyId: string
  /** Ed25519 over the UTF-8 of a text, in base64. */
  readonly sign: (text: string) => string
}>()("sliptrail/application/Notary") {}

/** Whether a signature holds. `unknown-key`: it may, but the public key is not here. */
export type SignatureStatus = "signed" | "not-signed" | "unknown-key"

/** Checks signatures, by public keys alone. */
export class SignatureVerifier extends Context.Service<SignatureVerifier, {
  /** The keys that are trusted. */
  readonly keyIds: ReadonlyArray<string>
  readonly judge: (keyId: string, text: string, signature: string) => SignatureStatus
}>()("sliptrail/application/SignatureVerifier") {}
