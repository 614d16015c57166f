import { assert, describe, it } from "../../../../../support/it.ts"
import { Effect } from "effect"
import { join } from "node:path"
import { makeAppendBatch } from "../../../../../../infrastructure/adapters/stores/sqlite/events/append-batch.ts"
import { openForWriting } from "../../../../../../infrastructure/adapters/stores/sqlite/events/log-file.ts"
import { readStreamNames } from "../../../../../../infrastructure/adapters/stores/sqlite/events/read-stream-names.ts"
import {
  makeKnownStreams,
  makeStreamBloomFilter
} from "../../../../../../infrastructure/adapters/stores/sqlite/events/stream-bloom-filter.ts"
import { temporaryFolder } from "../../../../../support/temporary-folder.ts"

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

  it("are those of this process without a read, and those of other processes between them", () => {
    const inFile = ["slip-1", "slip-1", "slip-2", "slip-3"]
    let [head, reads] = [0, 0]
    const { appended, mayExist, readNames } = makeKnownStreams({
      streams: () => [],
      streamsBetween: (after, upTo) => {
        reads++
        return inFile.slice(after, upTo)
      }
    }, () => head)
    // Before all names are read, an append changes nothing.
    appended("slip-0", 1, 1)
    assert.isFalse(readNames(10))
    appended("slip-1", 2, 2)
    head = 2
    assert.isTrue(mayExist("slip-1"))
    assert.strictEqual(reads, 0)
    // Another process appended `slip-2`.
    appended("slip-3", 1, 4)
    head = 4
    assert.isTrue(mayExist("slip-2"))
    assert.isTrue(mayExist("slip-3"))
    assert.isFalse(mayExist("slip-4"))
    assert.strictEqual(reads, 1)
  })

  it("are those that another thread has read, and those of later events", () => {
    const inFile = ["slip-1", "slip-2"]
    let head = 2
    const { mayExist, readNames, takeNames } = makeKnownStreams(
      { streams: () => inFile.slice(0, 1), streamsBetween: (after, upTo) => inFile.slice(after, upTo) },
      () => head
    )
    assert.isTrue(readNames(1))
    const filter = makeStreamBloomFilter()
    for (const name of inFile) filter.add(name)
    inFile.push("slip-3", "slip-4")
    head = 4
    takeNames(filter.content())
    assert.isTrue(mayExist("slip-9"))
    while (readNames(1));
    assert.isFalse(mayExist("slip-9"))
    for (const name of inFile) assert.isTrue(mayExist(name))
  })

  it.live("are read in a thread from a file", function* () {
    const file = join(yield* temporaryFolder, "events.db")
    const database = openForWriting(file)
    const added = names(0, 3_000)
    const event = ["00000000-0000-4000-8000-000000000000", "SlipVerified", "{}", "{}"]
    makeAppendBatch(database)(added.map((name) => [name, -1, event]), 0)
    database.close()
    const filter = makeStreamBloomFilter(yield* readStreamNames(file))
    assert.deepStrictEqual(added.filter((name) => !filter.mayExist(name)), [])
    assert.isBelow(names(1_000_000, 20_000).filter((name) => filter.mayExist(name)).length, 200)
    // It grows as the one of the thread would have grown.
    const more = names(2_000_000, 300_000)
    for (const name of more) filter.add(name)
    assert.deepStrictEqual([...added, ...more].filter((name) => !filter.mayExist(name)), [])
  })

  it.live("are not read from a file that is missing", function* () {
    const file = join(yield* temporaryFolder, "events.db")
    const error = yield* Effect.flip(readStreamNames(file))
    assert.include(String(error.cause), "unable to open")
  })
})
