import { Context, type Effect, Schema } from "effect"
import type { Sealed } from "../domain/sealed.ts"

/**
 * - `unknown-key`: the value is encrypted under a key that this vault does not have
 * - `broken`: the value was changed, or it was sealed for another purpose
 * - `forgotten`: the key of its subject was destroyed
 * - `not-written`: the destruction of a key could not be written
 * - `not-read`: the keys of subjects cannot be read now
 */
export class VaultError extends Schema.TaggedError<VaultError>()("VaultError", {
  reason: Schema.Literals(["unknown-key", "broken", "forgotten", "not-written", "not-read"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/**
 * Encrypts and digests secrets and personal data for the log. Encryption and digests include the `purpose`: a sealed
 * value cannot be used for another purpose, and equal texts have different digests for different purposes.
 */
export class Vault extends Context.Service<Vault, {
  /**
   * With a `subject`, encrypts under the subject's own key. That key is stored outside the log; after its destruction
   * no value of the subject can be opened. A vault without subject keys encrypts under the master key.
   */
  readonly seal: (purpose: string, plain: string, subject?: string) => Effect.Effect<Sealed>
  readonly open: (purpose: string, sealed: Sealed) => Effect.Effect<string, VaultError>
  /** Keyed digest, 32 lower-case hexadecimal digits. The same text has another digest under another master key. */
  readonly digest: (purpose: string, text: string) => string
  /** Destroys the keys of subjects permanently. Fails with `unknown-key` when the vault has no subject keys. */
  readonly erase: (subjects: ReadonlyArray<string>) => Effect.Effect<void, VaultError>
  /**
   * Fails with `not-read` while the keys of subjects cannot be read. Meanwhile `seal` with a subject dies with the same error,
   * because another process may have destroyed the key.
   */
  readonly available: Effect.Effect<void, VaultError>
}>()("sliptrail/application/Vault") {}
