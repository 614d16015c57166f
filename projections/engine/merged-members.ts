import { Effect } from "effect"
import { type Member, ReadModels } from "../../ports/read-models.ts"

/** Members of several sets of a model as if they were one, in the order of `ReadModels.members`. */
export const mergedMembers = Effect.fnUntraced(function* (
  model: string,
  sets: ReadonlyArray<string>,
  range: { readonly from?: number; readonly to?: number; readonly after?: Member; readonly limit?: number }
) {
  const models = yield* ReadModels
  const found = (yield* Effect.forEach(sets, (set) => models.members(model, set, range))).flat()
  return found.sort(inOrder).slice(0, range.limit)
})

/** Hosts and ids are ASCII: the order of their characters is that of their bytes. */
const inOrder = (one: Member, other: Member): number => one.score - other.score || (one.member < other.member ? -1 : 1)
