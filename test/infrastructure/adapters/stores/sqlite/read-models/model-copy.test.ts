import { assert, describe, it } from "../../../../../support/it.ts"
import { Deferred, Effect, Layer, Logger } from "effect"
import { join } from "node:path"
import { beginning } from "../../../../../../domain/events/recorded-event.ts"
import { layerLeasesMemory } from "../../../../../../infrastructure/adapters/stores/memory/coordination.ts"
import { layerEventStoreEmbedded } from "../../../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { modelCopyIn } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/model-copy.ts"
import { layerReadModelsEmbedded } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/read-models.ts"
import { ModelCopy, type OpenCopy } from "../../../../../../ports/model-copy.ts"
import { ReadModels } from "../../../../../../ports/read-models.ts"
import { layerProjector } from "../../../../../../projections/engine/projector.ts"
import { projections } from "../../../../../../projections/models/all.ts"
import { addMember, at, model, setFields } from "../../../../../contracts/read-models-given.ts"
import { temporaryFolder } from "../../../../../support/temporary-folder.ts"
import { allCaughtUp, appendSlips, assertAllBuilt, assertSame } from "./given-slips.ts"

const EVENTS = 700

describe("the copy of the read models of a projector", () => {
  it.live("is built from an embedded log at once, and follows the log then", function* () {
    const folder = yield* temporaryFolder
    const file = join(folder, "events.db")
    const logged: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
    const opened = yield* Deferred.make<OpenCopy>()
    const openCopy = modelCopyIn(folder, { file, leastEvents: 1 })
    const log = yield* Layer.build(layerEventStoreEmbedded({ file }))
    yield* Effect.provide(appendSlips(EVENTS), log)
    const projecting = layerProjector(projections).pipe(
      Layer.provideMerge(Layer.mergeAll(
        layerReadModelsEmbedded({ file: join(folder, "models.db") }),
        layerLeasesMemory,
        Layer.succeed(ModelCopy, (id) => Effect.tap(openCopy(id), (copy) => Deferred.succeed(opened, copy))),
        logger
      )),
      Layer.provideMerge(Layer.succeedContext(log))
    )
    yield* Effect.gen(function* () {
      const { models } = yield* Deferred.await(opened)
      yield* Effect.gen(function* () {
        yield* allCaughtUp
        // Later events come in batches.
        yield* appendSlips(EVENTS)
        yield* allCaughtUp
        for (const projection of projections) yield* assertSame(projection, folder)
      }).pipe(Effect.provideService(ReadModels, models))
    }).pipe(Effect.provide(projecting))
    assertAllBuilt(logged)
  })

  it.live("has a snapshot of every row and member, in the order of its sets", function* () {
    const { models, snapshot } = yield* modelCopyIn(yield* temporaryFolder)("an-id")
    const equal = Array.from(
      { length: 1_001 },
      (_, index) => addMember("equal", `m-${String(index).padStart(4, "0")}`, -1)
    )
    const scored = Array.from({ length: 1_000 }, (_, index) => addMember("scored", `s-${index}`, index - 500.5))
    const few = [addMember("few", "\uffff", 7), addMember("few", "𐀀", 7)]
    const rows = Array.from({ length: 3 }, (_, index) => setFields("jobs", `j-${index}`, { index, text: null }))
    const upTo = at(1)
    yield* models.apply(model, {
      after: beginning,
      upTo,
      writes: [...scored, ...rows, ...equal.toReversed(), ...few]
    })
    yield* models.apply("other.v1", { after: beginning, upTo, writes: [addMember("few", "other", 1)] })
    const { checkpoint, writes } = yield* Effect.scoped(
      Effect.map(snapshot(model), (moment) => ({ ...moment, writes: Array.from(moment.writes) }))
    )
    assert.deepStrictEqual(checkpoint, upTo)
    assert.lengthOf(writes, rows.length + equal.length + scored.length + few.length)
    const ofSet = (name: string) => writes.filter((write) => write._tag === "AddMember" && write.set === name)
    assert.deepStrictEqual(ofSet("equal"), equal)
    assert.deepStrictEqual(ofSet("scored"), scored)
    assert.deepStrictEqual(ofSet("few"), few)
    assert.deepStrictEqual(writes.filter(({ _tag }) => _tag === "SetFields"), rows)
  })
})
