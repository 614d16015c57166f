import { Context, Effect } from "effect"

export type ProcessName = "verification" | "callback-delivery"

/** Work that is due now. */
export interface DueWork {
  readonly process: ProcessName
  /** What limits concurrency: the branch of a verification, the host of a callback. */
  readonly lane: string
  readonly jobId: string
}

/**
 * Notifies the worker of this process of due work, so that it starts before the read model has caught up. A shortcut
 * only: the due scanner finds work of which no worker was notified.
 */
export const WorkNotifier = Context.Reference<(work: ReadonlyArray<DueWork>) => Effect.Effect<void>>(
  "sliptrail/application/WorkNotifier",
  { defaultValue: () => () => Effect.void }
)
