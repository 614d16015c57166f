import { Effect } from "effect"
import type { ReadModels, ReadModelsError, Write } from "../../ports/read-models.ts"
import type { Projection } from "./projection.ts"

/** The longest time that the clocks of two processes differ. */
const CLOCK_DIFFERENCE_MILLIS = 60_000

/** Members of one set that leave a model together. Their writes take a store a few milliseconds. */
const SLICE = 200

/**
 * The writes that remove the oldest members of a model whose score is at most `before`, with what belongs to them. At
 * most `SLICE` members of each set; none when nothing has expired. They may be applied twice.
 */
export const expiredWrites = Effect.fnUntraced(function* (
  { expiring = [] }: Projection,
  { model, models }: { readonly models: ReadModels["Service"]; readonly model: string },
  before: number
) {
  const writes: Array<Write> = []
  for (const { expire, set } of expiring) {
    const members = yield* models.members(model, set, { to: before, limit: SLICE })
    for (const { member, score } of members) writes.push(...expire(member, score))
  }
  return writes
})

/**
 * Removes everything from a model that has expired at a time in milliseconds, or that another process may take for
 * expired then. No other process may write the model.
 */
export const expireAll = Effect.fnUntraced(function* (
  projection: Projection,
  into: { readonly models: ReadModels["Service"]; readonly model: string },
  at: number
): Effect.fn.Return<void, ReadModelsError> {
  const { model, models } = into
  const checkpoint = yield* models.checkpoint(model)
  while (true) {
    const writes = yield* expiredWrites(projection, into, at + CLOCK_DIFFERENCE_MILLIS)
    if (writes.length === 0) return
    yield* models.apply(model, { after: checkpoint, upTo: checkpoint, writes })
  }
})
