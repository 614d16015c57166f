import { Effect } from "effect"
import { makeModelWriter } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/model-writer.ts"
import type { MakeWriter } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/open-file.ts"

/** A writer whose thread is ready before the first batch. */
export const readyWriter: MakeWriter = (file) =>
  Effect.tap(Effect.sync(() => makeModelWriter(file)), ({ start }) => start)
