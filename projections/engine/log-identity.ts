import { Effect } from "effect"
import { beginning } from "../../domain/events/recorded-event.ts"
import type { EventStore } from "../../ports/event-store.ts"
import type { ReadModels } from "../../ports/read-models.ts"

/** The model whose only row names the log from which the other models were built: `id` of its first event. */
const LOG_MODEL = "log"
const ROW = ["log", "first"] as const

/**
 * Clears the models when they were built from another log than this one, and remembers this one. Models of an earlier
 * version do not say from which log they are, and stay. An empty log has no identity.
 */
export const clearOfAnotherLog = Effect.fnUntraced(function* (
  store: EventStore["Service"],
  models: ReadModels["Service"],
  names: ReadonlyArray<string>
) {
  const [first] = yield* store.readAll({ after: beginning, limit: 1 })
  if (first === undefined) return
  const known = yield* models.get(LOG_MODEL, ...ROW)
  if (known?.["id"] === first.id) return
  if (known !== undefined) {
    yield* Effect.logError("The read models were built from another log and are built again")
    const head = yield* store.head
    for (const model of names) yield* models.clear(model, head)
  }
  const [table, key] = ROW
  yield* models.apply(LOG_MODEL, {
    after: yield* models.checkpoint(LOG_MODEL),
    upTo: first.position,
    writes: [{ _tag: "SetFields", table, key, fields: { id: first.id } }]
  })
})
