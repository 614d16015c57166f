import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { OrderedSet } from "../../../projections/engine/read-model.ts"
import type { Position } from "../../../domain/events/recorded-event.ts"
import { ReadModels, type Write } from "../../../ports/read-models.ts"
import { makeDueScanner } from "../../../application/processes/due-scanner.ts"
import { layerTemporaryReadModels } from "../../support/temporary-read-models.ts"

const test = it.effect.with(() => layer)

const dueIndex = new OrderedSet({ name: "jobs", version: 1 }, "due")

const layer = layerTemporaryReadModels

const write = Effect.fnUntraced(function* (writes: ReadonlyArray<Write>) {
  const models = yield* ReadModels
  const after = yield* models.checkpoint(dueIndex.model)
  const upTo: Position = { commit: after.commit + 1n, prepare: after.commit + 1n }
  yield* models.apply(dueIndex.model, { after, upTo, writes })
})

const due = (entries: ReadonlyArray<readonly [string, number]>) =>
  write(entries.map(([member, score]) => ({ _tag: "AddMember", set: dueIndex.set, member, score })))

const given = Effect.gen(function* () {
  const scanner = yield* makeDueScanner(dueIndex)
  return {
    scan: Effect.fnUntraced(function* (now: number) {
      const seen: Array<string> = []
      const result = yield* scanner.scan(now, ({ member }) => void seen.push(member))
      return { ...result, seen }
    })
  }
})

const many = (count: number, at: number) => Array.from({ length: count }, (_, n) => [`j-${n}`, at] as const)

describe("the due index", () => {
  test("returns due work and the time of the next", function* () {
    const { scan } = yield* given
    yield* due([["late", 10], ["now", 100], ["soon", 101], ["later", 500]])

    assert.deepStrictEqual(yield* scan(100), { isAnyDue: true, nextDueAt: 101, seen: ["late", "now"] })
    assert.deepStrictEqual(yield* scan(5), { isAnyDue: false, nextDueAt: 10, seen: [] })
    assert.deepStrictEqual(yield* scan(500), {
      isAnyDue: true,
      nextDueAt: undefined,
      seen: ["late", "now", "soon", "later"]
    })
  })

  test("returns nothing when it is empty", function* () {
    assert.deepStrictEqual(yield* (yield* given).scan(100), { isAnyDue: false, nextDueAt: undefined, seen: [] })
  })

  test("reaches every entry in several reads, and starts again", function* () {
    const { scan } = yield* given
    yield* due(many(5_000, 100))

    const scans = [yield* scan(100), yield* scan(100), yield* scan(100)]

    assert.strictEqual(new Set(scans.flatMap(({ seen }) => seen)).size, 5_000)
    assert.isTrue(scans.every(({ isAnyDue, seen }) => isAnyDue && seen.length < 2_500))
    assert.deepStrictEqual((yield* scan(100)).seen.slice(0, 3), ["j-0", "j-1", "j-10"])
  })

  test("returns work that became due during a walk at once", function* () {
    const { scan } = yield* given
    yield* due(many(5_000, 100))
    yield* scan(50_000)
    yield* due([["fresh", 50_001]])

    assert.include((yield* scan(50_100)).seen, "fresh")
  })
})
