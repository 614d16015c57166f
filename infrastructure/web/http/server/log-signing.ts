import { Context, type Effect } from "effect"

/** What the service tells about the signatures of its log (docs/proof.md). */
export class LogSigning extends Context.Service<LogSigning, {
  /** The public keys in PEM; undefined when this process knows none. */
  readonly publicKeys: Effect.Effect<string | undefined>
  /** Why nothing will ever be signed, and what to do; undefined when this process has a signing key. */
  readonly neverSigned: string | undefined
  /** The longest time from an event to the tree head that covers it, in milliseconds. */
  readonly intervalMillis: number
}>()("sliptrail/http/LogSigning") {}
