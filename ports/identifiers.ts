import { Context } from "effect"

/** Ids and secrets. All randomness comes from here, so that everything else is repeatable. */
export class Identifiers extends Context.Service<Identifiers, {
  /** UUID v4. */
  readonly random: () => string
  /** UUID v5 of a name: the same name gives the same id in every process. */
  readonly derived: (name: string) => string
  /** `whsec_` and the base64 of 32 random bytes (docs/spec/http.md, "Secret rotation"). */
  readonly webhookSecret: () => string
  /** `slt_` and 32 random bytes in base64url (docs/spec/operations.md, "Operators"). */
  readonly operatorToken: () => string
}>()("sliptrail/application/Identifiers") {}
