import { Context, Effect } from "effect"

/** Work that is due at once, named by the job it belongs to. */
export interface DueNow {
  readonly process: "verification" | "callback-delivery"
  readonly jobId: string
}

/**
 * Hands work to the worker of this very process, which need not find it through the read model then. Only a shortcut:
 * whatever is handed to nobody, or to a worker that has no room, is found through the index of due work.
 */
export const WorkNotifier = Context.Reference<(work: ReadonlyArray<DueNow>) => Effect.Effect<void>>(
  "sliptrail/application/WorkNotifier",
  { defaultValue: () => () => Effect.void }
)
