import { Schema } from "effect"
import { Sealed } from "../sealed.ts"

/** What is kept of having asked a bank, whatever came of it; events from before these were kept have none of them. */
export const replyFields = {
  /** The body of the upstream's answer, untouched; null when there was none. */
  upstream: Schema.optionalKey(Schema.NullOr(Sealed)),
  /** The gateways that were asked before and gave no clear statement, in that order. */
  askedBefore: Schema.optionalKey(Schema.Array(Schema.Struct({
    gateway: Schema.String,
    gatewayMillis: Schema.Int,
    /** For a person. */
    why: Schema.String
  })))
}

export interface ReplyRecord {
  readonly upstream: Sealed | null
  readonly askedBefore: ReadonlyArray<
    { readonly gateway: string; readonly gatewayMillis: number; readonly why: string }
  >
}
