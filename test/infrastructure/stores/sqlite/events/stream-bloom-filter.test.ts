import { assert, describe, it } from "@effect/vitest"
import { makeStreamBloomFilter } from "../../../../../infrastructure/stores/sqlite/events/stream-bloom-filter.ts"

const names = (from: number, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `slip-${(from + index) * 7919}-${from + index}`)

describe("the Bloom filter of stream names", () => {
  it("never reports an added stream as unknown, even beyond the size of a layer", () => {
    const filter = makeStreamBloomFilter()
    const added = names(0, 300_000)
    for (const name of added) filter.add(name)
    assert.deepStrictEqual(added.filter((name) => !filter.mayExist(name)), [])
  })

  it("reports few unknown names as possibly known", () => {
    const filter = makeStreamBloomFilter()
    for (const name of names(0, 100_000)) filter.add(name)
    const passed = names(1_000_000, 20_000).filter((name) => filter.mayExist(name)).length
    assert.isBelow(passed, 200)
  })
})
