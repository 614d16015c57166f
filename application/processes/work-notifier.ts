import { Context, Effect } from "effect"

export type ProcessName = "verification" | "callback-delivery"

/** Work that is due now. */
export interface DueWork {
  readonly process: ProcessName
  /** The lane that limits concurrency: the branch of a verification, or the host of a callback. */
  readonly lane: string
  readonly jobId: string
}

/**
 * Notifies the worker of this process of due work, so that it starts before the read model has caught up. This is an
 * optimisation: the due scanner finds the same work later.
 */
export const WorkNotifier = Context.Reference<(work: ReadonlyArray<DueWork>) => Effect.Effect<void>>(
  "sliptrail/application/WorkNotifier",
  { defaultValue: () => () => Effect.void }
)
