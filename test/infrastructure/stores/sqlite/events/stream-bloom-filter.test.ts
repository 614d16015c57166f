import { assert, describe, it } from "@effect/vitest"
import {
  makeKnownStreams,
  makeStreamBloomFilter
} from "../../../../../infrastructure/stores/sqlite/events/stream-bloom-filter.ts"

const names = (from: number, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `slip-${(from + index) * 7919}-${from + index}`)

describe("the Bloom filter of stream names", () => {
  it("never reports an added stream as unknown, even beyond the size of a layer", () => {
    const filter = makeStreamBloomFilter()
    const added = names(0, 300_000)
    for (const name of added) filter.add(name)
    assert.deepStrictEqual(added.filter((name) => !filter.mayExist(name)), [])
  })

  for (const count of [100_000, 900_000]) {
    it(`reports few unknown names as possibly known after ${count} names`, () => {
      const filter = makeStreamBloomFilter()
      for (const name of names(0, count)) filter.add(name)
      const passed = names(1_000_000, 20_000).filter((name) => filter.mayExist(name)).length
      assert.isBelow(passed, 200)
    })
  }
})

describe("the known streams of a log", () => {
  it("may all exist until every name is read", () => {
    let head = 3
    const inFile = ["slip-1", "slip-2", "slip-3"]
    const reader = {
      streams: (after: string, limit: number) => inFile.toSorted().filter((name) => name > after).slice(0, limit),
      streamsBetween: (after: number, upTo: number) => inFile.slice(after, upTo)
    }
    const { mayExist, readNames } = makeKnownStreams(reader, () => head)
    assert.isTrue(readNames(2))
    assert.isTrue(mayExist("slip-9"))
    // A new stream whose name is before those that were read.
    inFile.push("slip-0", "slip-4")
    head = 5
    while (readNames(1));
    assert.isFalse(mayExist("slip-9"))
    for (const name of inFile) assert.isTrue(mayExist(name))
    inFile.push("slip-5")
    head = 6
    assert.isTrue(mayExist("slip-5"))
  })
})
