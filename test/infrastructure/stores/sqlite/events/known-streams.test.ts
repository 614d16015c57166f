import { assert, describe, it } from "@effect/vitest"
import { makeKnownStreams } from "../../../../../infrastructure/stores/sqlite/events/stream-bloom-filter.ts"

const names = (from: number, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `slip-${(from + index) * 7919}-${from + index}`)

describe("known streams", () => {
  it("never takes a stream that it was told of for unknown, beyond the size of a layer too", () => {
    const known = makeKnownStreams()
    const told = names(0, 300_000)
    for (const name of told) known.add(name)
    assert.deepStrictEqual(told.filter((name) => !known.mayExist(name)), [])
  })

  it("takes few unknown names for known", () => {
    const known = makeKnownStreams()
    for (const name of names(0, 100_000)) known.add(name)
    const mistaken = names(1_000_000, 20_000).filter((name) => known.mayExist(name)).length
    assert.isBelow(mistaken, 200)
  })
})
