import { Context, type Effect, Schema } from "effect"
import type { Sealed } from "../domain/sealed.ts"

/**
 * `unknown-key`: sealed under a key that is not here. `broken`: altered, or sealed for another purpose. `forgotten`: the
 * key of its subject was destroyed. `not-written`: a key could not be destroyed.
 */
export class VaultError extends Schema.TaggedError<VaultError>()("VaultError", {
  reason: Schema.Literals(["unknown-key", "broken", "forgotten", "not-written"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/**
 * Keeps what the log must not show. `purpose` is bound into what is sealed and into a digest: a sealed secret can't
 * be passed off as something else, and digests of one purpose say nothing about another's.
 */
export class Vault extends Context.Service<Vault, {
  /**
   * With a `subject`, under a key of that one's own, which lives outside of the log and can be destroyed: everything
   * that was sealed for it can then never be opened again. Where the vault keeps no such keys, under the master key.
   */
  readonly seal: (purpose: string, plain: string, subject?: string) => Effect.Effect<Sealed>
  readonly open: (purpose: string, sealed: Sealed) => Effect.Effect<string, VaultError>
  /** Keyed digest, 32 lower-case hexadecimal digits: the same text gives the same digest under the same master key only. */
  readonly digest: (purpose: string, text: string) => string
  /** Destroys the keys of subjects for good. `unknown-key` where the vault keeps none. */
  readonly forget: (subjects: ReadonlyArray<string>) => Effect.Effect<void, VaultError>
}>()("sliptrail/application/Vault") {}
