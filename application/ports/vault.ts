import { Context, type Effect, Schema } from "effect"
import type { Sealed } from "../../domain/sealed.ts"

/** `unknown-key`: sealed under a key that is not here. `broken`: altered, or sealed for another purpose. */
export class VaultError extends Schema.TaggedError<VaultError>()("VaultError", {
  reason: Schema.Literals(["unknown-key", "broken"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/**
 * Keeps what the log must not show. `purpose` is bound into what is sealed and into a digest: a sealed secret can't
 * be passed off as something else, and digests of one purpose say nothing about another's.
 */
export class Vault extends Context.Service<Vault, {
  readonly seal: (purpose: string, plain: string) => Effect.Effect<Sealed>
  readonly open: (purpose: string, sealed: Sealed) => Effect.Effect<string, VaultError>
  /** Keyed digest, 32 lower-case hexadecimal digits: the same text gives the same digest under the same master key only. */
  readonly digest: (purpose: string, text: string) => string
}>()("sliptrail/application/Vault") {}
