import { Context } from "effect"

/** Ids and secrets. All randomness comes from here, so that everything else is repeatable. */
export class Identifiers extends Context.Service<Identifiers, {
  /** UUID v4: random, so it can be a secret. */
  readonly random: () => string
  /**
   * UUID v7: ids sort by the millisecond in which they were made. New ids are then neighbours in an index, and change few
   * of its pages. An id tells when it was made, so it is no secret.
   */
  readonly newId: () => string
  /** UUID v5 of a name: the same name gives the same id in every process. */
  readonly derived: (name: string) => string
  /** `whsec_` and the base64 of 32 random bytes (docs/spec/http.md, "Secret rotation"). */
  readonly webhookSecret: () => string
  /** `slt_` and 32 random bytes in base64url (docs/spec/operations.md, "Operators"). */
  readonly operatorToken: () => string
}>()("sliptrail/application/Identifiers") {}
