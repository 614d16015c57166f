import { Effect } from "effect"
import { EventStore } from "../../ports/event-store.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { modelName } from "../../projections/engine/model-name.ts"
import {
  unboundValueSets,
  unboundValuesModel,
  unboundValuesProjection
} from "../../projections/models/unbound-values.ts"

/** Secrets and accounts whose newest value is bound to its purpose only, by kind. */
export interface UnboundCounts {
  readonly webhookSecrets: number
  readonly bankAccounts: number
  readonly contacts: number
}

const PAGE = 1_000

/** A read model that is further behind is being built. */
const MAX_PAGES = 100

const isProjected = (stream: string): boolean =>
  unboundValuesProjection.streams.some((prefix) => stream.startsWith(prefix))

/**
 * Counts the values that `reseal` would write anew. The read model of a service that has stopped can be behind the log, so
 * the events after its checkpoint count too. Undefined when there are more than 100 000 of them.
 */
export const countUnbound = Effect.gen(function* () {
  const { readAll } = yield* EventStore
  let after = yield* (yield* ReadModels).checkpoint(modelName(unboundValuesModel))
  const members = new Map<string, Set<string>>()
  for (const set of Object.values(unboundValueSets)) members.set(set.set, new Set(yield* set.names()))

  for (let page = 0; page < MAX_PAGES; page++) {
    const events = yield* readAll({ after, limit: PAGE })
    for (const write of events.filter(({ stream }) => isProjected(stream)).flatMap(unboundValuesProjection.when)) {
      if (write._tag === "AddMember") members.get(write.set)?.add(write.member)
      if (write._tag === "RemoveMember") members.get(write.set)?.delete(write.member)
    }
    after = events.at(-1)?.position ?? after
    if (events.length === PAGE) continue
    const sizeOf = ({ set }: { readonly set: string }) => members.get(set)?.size ?? 0
    return {
      webhookSecrets: sizeOf(unboundValueSets.webhookSecrets),
      bankAccounts: sizeOf(unboundValueSets.bankAccounts),
      contacts: sizeOf(unboundValueSets.contacts)
    } satisfies UnboundCounts
  }
  return undefined
})
