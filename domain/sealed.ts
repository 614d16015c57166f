import { Schema } from "effect"

/**
 * Personal data or a secret as it may stand in the log: encrypted, with the name of its key, so that keys per
 * person can exist beside the master key. Only the vault opens it. All three are text; n and c are base64.
 */
export const Sealed = Schema.Struct({
  /** Which key. */
  k: Schema.String,
  /** Nonce. */
  n: Schema.String,
  /** Ciphertext with its authentication tag. */
  c: Schema.String
})
export type Sealed = typeof Sealed.Type
