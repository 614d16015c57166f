import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { join } from "node:path"
import { beginning, type Position } from "../../../../../../domain/events/recorded-event.ts"
import { type Batch, ReadModels, type Write } from "../../../../../../ports/read-models.ts"
import { layerReadModelsEmbedded } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { naiveDump, naiveModel } from "../../../../../support/naive-model.ts"
import { temporaryFolder } from "../../../../../support/temporary-folder.ts"
import { runs } from "../../../../../support/runs.ts"

describe("a sequence of batches in the embedded read models", () => {
  it.effect.prop(
    "equals a plain replay, despite repeated batches, batches out of order and restarts",
    [Schema.Array(Step)],
    ([steps]) =>
      Effect.gen(function* () {
        const file = join(yield* temporaryFolder, "models.db")
        const made: Array<Batch> = []
        const session = Effect.fnUntraced(function* (part: ReadonlyArray<typeof Step.Type>) {
          const models = yield* ReadModels
          for (const { kind, size } of part) {
            const checkpoint = made.at(-1)?.upTo ?? beginning
            if (kind === "next") {
              const batch = nextBatch(checkpoint, size)
              made.push(batch)
              assert.deepStrictEqual(yield* models.apply(model, batch), batch.upTo)
            } else if (kind === "repeat") {
              const again = made[size % Math.max(1, made.length)]
              if (again !== undefined) assert.deepStrictEqual(yield* models.apply(model, again), checkpoint)
            } else if (kind === "ahead") {
              const ahead = nextBatch(at(checkpoint.commit + 1n), size)
              assert.deepStrictEqual(yield* models.apply(model, ahead), checkpoint)
            }
          }
        })
        for (const part of splitAtRestarts(steps)) {
          yield* Effect.provide(session(part), layerReadModelsEmbedded({ file }))
        }
        const dump = ReadModels.use((models) => models.dump(model))
        assert.deepStrictEqual(yield* Effect.provide(dump, layerReadModelsEmbedded({ file })), {
          checkpoint: made.at(-1)?.upTo ?? beginning,
          lines: naiveDump(naiveModel(made.flatMap(({ writes }) => writes)))
        })
      }).pipe(Effect.scoped),
    { arbitrary: { runs: runs(20), size: 30 } }
  )
})

const model = "jobs.v1"

const Step = Schema.Struct({
  kind: Schema.Literals(["next", "next", "repeat", "ahead", "restart"]),
  size: Schema.Literals([0, 1, 2, 7])
})

const at = (place: bigint): Position => ({ commit: place, prepare: place })

/** A batch of `size` events. The writes of each depend only on its position, as in a projection. */
const nextBatch = (after: Position, size: number): Batch => {
  const places = Array.from({ length: size }, (_, index) => Number(after.commit) + 1 + index)
  return { after, upTo: at(after.commit + BigInt(Math.max(1, size))), writes: places.flatMap(writesAt) }
}

const writesAt = (place: number): ReadonlyArray<Write> => {
  const key = `j${(place * 5) % 7}`
  const member = `m${(place * 3) % 4}`
  const kinds: ReadonlyArray<Write> = [
    { _tag: "SetFields", table: "jobs", key, fields: { place, [`f${place % 3}`]: place } },
    { _tag: "AddMember", set: "due", member, score: place },
    { _tag: "DeleteRow", table: "jobs", key },
    { _tag: "RemoveMember", set: "due", member },
    { _tag: "AddMember", set: "all", member: key, score: -place }
  ]
  return [kinds[(place * 2) % 5], kinds[(place * place) % 5]].filter((write) => write !== undefined)
}

const splitAtRestarts = (steps: ReadonlyArray<typeof Step.Type>) => {
  const parts: Array<Array<typeof Step.Type>> = [[]]
  for (const step of steps) {
    if (step.kind === "restart") parts.push([])
    else parts.at(-1)?.push(step)
  }
  return parts
}
