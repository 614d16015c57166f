import { assert, describe, it } from "@effect/vitest"
import { makeProjectLog } from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/follow-log.ts"
import type {
  Applied,
  FlatBatch
} from "../../../../../../infrastructure/adapters/stores/sqlite/read-models/apply-batch.ts"
import type { Projection } from "../../../../../../projections/engine/projection.ts"
import type { Write } from "../../../../../../ports/read-models.ts"
import { recordedEvent } from "../../../../../support/event-fixtures.ts"

const recorded = (position: number) =>
  recordedEvent("Test", {}, {
    stream: "slip-1",
    revision: position - 1,
    position: { commit: BigInt(position), prepare: BigInt(position) }
  })

const write = (place: bigint): Write => ({ _tag: "AddMember", set: "all", member: String(place), score: 0 })

const projectionOf = (name: string, when: Projection["when"]): Projection => ({
  name,
  version: 1,
  streams: ["slip-"],
  when
})
const adding = projectionOf("adding", ({ position }) => [write(position.commit)])
const idle = projectionOf("idle", () => [])
const throwing = projectionOf("throwing", ({ position }) => {
  if (position.commit === 2n) throw new Error("no")
  return [write(position.commit)]
})

/** A log of so many events, and what was read and applied. */
const given = (
  events: number,
  applied: (batch: FlatBatch) => Applied = ({ upTo }) => ({ current: upTo, applied: true })
) => {
  const reads: Array<number> = []
  const batches: Array<readonly [model: string, batch: FlatBatch]> = []
  const project = makeProjectLog([adding, idle, throwing], {
    after: (position, limit) => {
      reads.push(position)
      return Array.from({ length: events }, (_, index) => recorded(index + 1)).slice(position, position + limit)
    }
  }, (model, batch) => {
    batches.push([model, batch])
    return applied(batch)
  })
  return { batches, project, reads }
}

const next = (model: string, from = "0/0", after = from) => ({ model, after, from, wantsWrites: false })

describe("the questions to the thread that follows the log", () => {
  it("reads the events once for all models at a position", () => {
    const { batches, project, reads } = given(3)
    const answers = project([next("adding.v1"), next("idle.v1"), { ...next("adding.v1", "2/2"), wantsWrites: true }])
    assert.deepStrictEqual(reads, [0, 2])
    assert.deepStrictEqual(batches.map(([, { after, upTo, writes }]) => [after, upTo, writes.length]), [
      ["0/0", "3/3", 3],
      ["2/2", "3/3", 1]
    ])
    assert.deepStrictEqual(answers, [
      {
        _tag: "projected",
        upTo: "3/3",
        events: 3,
        handled: 3,
        outcome: { current: "3/3", applied: true },
        written: 3,
        writes: []
      },
      { _tag: "projected", upTo: "3/3", events: 3, handled: 3, outcome: undefined, written: 0, writes: [] },
      {
        _tag: "projected",
        upTo: "3/3",
        events: 1,
        handled: 1,
        outcome: { current: "3/3", applied: true },
        written: 1,
        writes: [write(3n)]
      }
    ])
  })

  it("applies to the checkpoint of the model, not to the last projected event", () => {
    const { batches, project } = given(3)
    project([next("adding.v1", "2/2", "1/1")])
    assert.deepStrictEqual(batches.map(([model, { after, upTo }]) => [model, after, upTo]), [[
      "adding.v1",
      "1/1",
      "3/3"
    ]])
  })

  it("applies nothing before an event on which a projection throws, and serves the other models", () => {
    const { batches, project } = given(3)
    const [throws, adds] = project([next("throwing.v1"), next("adding.v1")])
    assert.deepStrictEqual(throws, { _tag: "poison" })
    assert.strictEqual(adds?._tag, "projected")
    assert.deepStrictEqual(batches.map(([model]) => model), ["adding.v1"])
  })

  it("answers with the checkpoint when a batch was refused, and sends no writes", () => {
    const { project } = given(3, () => ({ current: "9/9", applied: false }))
    const [answer] = project([{ ...next("adding.v1"), wantsWrites: true }])
    assert.deepInclude(answer, { outcome: { current: "9/9", applied: false }, writes: [] })
  })

  it("answers with the error of one model, and serves the others", () => {
    const { project } = given(3, ({ after, upTo }) => {
      if (after === "0/0") throw new Error("database is locked")
      return { current: upTo, applied: true }
    })
    const [failed, other, unknown] = project([next("adding.v1"), next("adding.v1", "1/1"), next("none.v1")])
    assert.deepStrictEqual(failed, { _tag: "failed", message: "database is locked" })
    assert.strictEqual(other?._tag, "projected")
    assert.deepStrictEqual(unknown, { _tag: "failed", message: "no projection writes none.v1" })
  })
})
