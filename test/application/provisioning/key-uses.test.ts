import { assert, describe, it } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { type KeyUse, KeyUses, layerKeyUses } from "../../../application/provisioning/key-uses.ts"
import { branchActor } from "../../../domain/actor.ts"
import { EventStore, EventStoreError } from "../../../ports/event-store.ts"
import { eventually } from "../../support/eventually.ts"
import { noFaults } from "../../support/faulty-event-store.ts"
import { layerPorts } from "../../support/ports.ts"

const given = Effect.gen(function* () {
  const faults = noFaults()
  const stores = yield* Layer.build(layerPorts(faults))
  const recorder = Layer.fresh(layerKeyUses).pipe(Layer.provide(Layer.succeedContext(stores)), Layer.build)
  const [one, another] = [yield* recorder, yield* recorder].map((context) =>
    Effect.provide(Effect.service(KeyUses), context)
  )
  const failures: Array<string> = []
  const use = (day: string): KeyUse => ({
    keyDigest: "digest-1",
    actor: branchActor("b-1", "digest-1"),
    day,
    onFailure: () => void failures.push(day)
  })
  const days = Effect.provide(
    EventStore.use((store) =>
      Effect.map(store.readStream("keyUse-digest-1"), (events) => events.map(({ data }) => data["day"]))
    ),
    stores
  )
  return { faults, failures, use, days, one: yield* one ?? assert.fail(), another: yield* another ?? assert.fail() }
})

describe("the uses of a key", () => {
  it.live("are one event a day, also from several processes", function* () {
    const { another, days, failures, one, use } = yield* given
    for (const day of ["2026-11-21", "2026-11-21", "2026-11-22"]) {
      one(use(day))
      another(use(day))
    }
    yield* eventually(days, (days) => days.length === 2)
    assert.deepStrictEqual(yield* days, ["2026-11-21", "2026-11-22"])
    assert.deepStrictEqual(failures, [])
  })

  it.live("are reported when they cannot be recorded, and later ones are recorded", function* () {
    const { days, failures, faults, one, use } = yield* given
    faults.before = () => Effect.fail(new EventStoreError({ operation: "append", reason: "unavailable" }))
    one(use("2026-11-21"))
    yield* eventually(Effect.sync(() => failures), (failures) => failures.length === 1)
    faults.before = () => Effect.void
    one(use("2026-11-21"))
    yield* eventually(days, (days) => days.length === 1)
    assert.deepStrictEqual(failures, ["2026-11-21"])
  })

  it.live("are dropped, not kept, while more wait than the queue holds", function* () {
    const { failures, faults, one, use } = yield* given
    faults.before = () => Effect.never
    for (let count = 0; count < 1_100; count++) one(use("2026-11-21"))
    assert.isAtLeast(failures.length, 99)
  })
})
