import { Schema } from "effect"

/**
 * Encrypted personal data or an encrypted secret, as the log stores it. It names its key: the master key or a subject
 * key. Only the vault opens it. `n` and `c` are base64.
 */
export const Sealed = Schema.Struct({
  /** Name of the key. */
  k: Schema.String,
  /** Nonce. */
  n: Schema.String,
  /** Ciphertext with its authentication tag. */
  c: Schema.String
})
export type Sealed = typeof Sealed.Type
