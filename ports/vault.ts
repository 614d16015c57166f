import { Context, type Effect, Schema } from "effect"
import type { Position } from "../domain/events/recorded-event.ts"
import type { Place, Sealed } from "../domain/sealed.ts"

/**
 * - `unknown-key`: the value is encrypted under a key that this vault does not have
 * - `broken`: the value was changed, or it was sealed for another purpose or for another record
 * - `unbound`: the value is bound to no record, and stands where the log has bound values only
 * - `forgotten`: the key of its subject was destroyed
 * - `not-written`: the destruction of a key could not be written
 * - `not-read`: the keys of subjects cannot be read now
 */
export class VaultError extends Schema.TaggedError<VaultError>()("VaultError", {
  reason: Schema.Literals(["unknown-key", "broken", "unbound", "forgotten", "not-written", "not-read"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/**
 * Whether an unbound value may stand at a position of the log; undefined: the position is not known. Fails with `not-read`
 * while the log cannot be read.
 */
export type Unbound = (position: Position | undefined) => Effect.Effect<boolean, VaultError>

/**
 * Encrypts and digests secrets and personal data for the log. Encryption and digests include the `purpose`: a sealed
 * value cannot be used for another purpose, and equal texts have different digests for different purposes. A value of
 * the log is also bound to its record, and opens in no other one.
 */
export class Vault extends Context.Service<Vault, {
  /**
   * With a `subject`, encrypts under the subject's own key. That key is stored outside the log; after its destruction
   * no value of the subject can be opened. A vault without subject keys encrypts under the master key.
   *
   * Every value of the log has a `record`. Only a value that stays outside, such as a cookie, has none.
   */
  readonly seal: (purpose: string, plain: string, subject?: string, record?: string) => Effect.Effect<Sealed>
  /**
   * `place` says where a value of the log stands, by default what `placeOf` knows: it opens only in the record that it was
   * sealed for. A value from before values were bound to records opens only at the positions that `Unbound` admits.
   */
  readonly open: (purpose: string, sealed: Sealed, place?: Place) => Effect.Effect<string, VaultError>
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
