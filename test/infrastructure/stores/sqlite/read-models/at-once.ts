import { Effect } from "effect"
import { makeApplyingThread } from "../../../../../infrastructure/stores/sqlite/read-models/applying-thread.ts"
import type { MakeThread } from "../../../../../infrastructure/stores/sqlite/read-models/engine.ts"

/** A thread that is there before the first batch. */
export const atOnce: MakeThread = (file) =>
  Effect.tap(Effect.sync(() => makeApplyingThread(file)), ({ started }) => started)
