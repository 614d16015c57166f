import { Context, Effect } from "effect"

/** The stream of a slip in a service, at a time in milliseconds since 1970. */
export interface SlipStream {
  readonly stream: string
  readonly digest: string
  readonly at: number
}

/**
 * - `probably-new`: nothing shows an event of the stream. When that is wrong, an append at "no stream" fails.
 * - `known`: the stream has had events. If it is empty now, they were deleted.
 * - `unknown`: reading the stream tells.
 */
export type Novelty = "probably-new" | "known" | "unknown"

/**
 * Says whether the stream of a slip is new, in less time than reading it takes. After an event of this process, or an answer
 * `probably-new`, no process gets `probably-new` for the stream, or it lasts for the moment until the append only.
 */
export interface AskNewStreams {
  readonly of: (slip: SlipStream) => Effect.Effect<Novelty>
  /** This process has appended an event to the stream, or read one. */
  readonly hasEvents: (slip: SlipStream) => void
}

/** Each log answers in its own way; `unknown` without one. */
export const NewStreams = Context.Reference<AskNewStreams>(
  "sliptrail/application/NewStreams",
  { defaultValue: () => ({ of: () => Effect.succeed("unknown"), hasEvents: () => {} }) }
)
