import { Effect } from "effect"
import type { EventStoreError } from "../../../../../ports/event-store.ts"
import { scopedThread } from "../../../../platform/threads/ask-thread.ts"
import { storeError } from "./store-error.ts"
import type { FilterContent } from "./stream-bloom-filter.ts"

/**
 * Reads the names of all streams of a log in a thread, which requests do not wait for: a log of 10 000 000 slips has as many
 * names. Fails when the thread cannot start or the file cannot be read.
 */
export const readStreamNames = (file: string): Effect.Effect<FilterContent, EventStoreError> =>
  scopedThread<string, FilterContent, EventStoreError>({
    script: new URL("./stream-names-thread.ts", import.meta.url),
    name: "stream-names",
    data: undefined,
    limits: { maxYoungGenerationSizeMb: 4 }
  }, (cause) => storeError("readNames", cause)).pipe(Effect.flatMap(({ ask }) => ask(file)), Effect.scoped)
