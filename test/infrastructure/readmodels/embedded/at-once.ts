import { Effect } from "effect"
import { makeApplyingThread } from "../../../../infrastructure/readmodels/embedded/applying-thread.ts"
import type { MakeThread } from "../../../../infrastructure/readmodels/embedded/engine.ts"

/** A thread that is there before the first batch. */
export const atOnce: MakeThread = (file) =>
  Effect.tap(Effect.sync(() => makeApplyingThread(file)), ({ started }) => started)
