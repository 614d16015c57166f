import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { makeLogReader } from "../../../../../infrastructure/stores/sqlite/events/log-reader.ts"
import { makeTailCache, type TailCache } from "../../../../../infrastructure/stores/sqlite/events/tail-cache.ts"
import { makeDurableHead, openWriter } from "../../../../../infrastructure/stores/sqlite/events/writer.ts"
import { newEvent, newEvents } from "../../../../contracts/event-store-events.ts"
import { tempLog } from "./temp-folder.ts"

const given = Effect.gen(function* () {
  const file = yield* tempLog
  mkdirSync(dirname(file))
  const tail = makeTailCache()
  const { append } = yield* openWriter(file, makeDurableHead(), tail)
  const inFile = makeLogReader(file)
  yield* Effect.addFinalizer(() => Effect.sync(() => inFile.close()))
  return { append, inFile, tail }
})

/** An append of one event at this position, with this many characters of data. */
const at = (position: number, chars = 10): Parameters<TailCache["add"]> => [
  [`stream-${position}`, -1, [randomUUID(), "Happened", JSON.stringify("x".repeat(chars)), "{}"]],
  ["appended", 0, position],
  1
]

describe("the tail cache of the embedded log", () => {
  it.live("returns the same events as the file, for any position and limit", () =>
    Effect.gen(function* () {
      const { append, inFile, tail } = yield* given
      yield* append("a", "no-stream", newEvents(3))
      const [repeated] = newEvents(1)
      assert.isDefined(repeated)
      // The file returns ids in lower case.
      yield* append("b", "no-stream", [{ ...newEvent(), id: randomUUID().toUpperCase() }, repeated])
      yield* Effect.flip(append("a", 0, newEvents(1)))
      yield* append("b", 0, [repeated])
      yield* append("a", 2, newEvents(2))
      for (const after of [0, 1, 3, 6, 7]) {
        for (const limit of [-1, 0, 1, 2, 100]) {
          for (const upTo of [0, 1, 4, 7]) {
            assert.deepStrictEqual(tail.between(after, limit, upTo), inFile.all(after, limit, upTo))
          }
        }
      }
    }))

  it("returns nothing when one of the events is missing", () => {
    const tail = makeTailCache()
    tail.add(...at(5))
    tail.add(...at(6))
    assert.isUndefined(tail.between(3, 10, 6), "the first one is not cached")
    assert.isUndefined(tail.between(5, 10, 7), "the last one is not cached")
    assert.lengthOf(tail.between(4, 10, 6) ?? [], 2)
    // An event of another process is between them.
    tail.add(...at(8))
    assert.isUndefined(tail.between(5, 10, 8))
    assert.deepStrictEqual(tail.between(7, 10, 8)?.map(({ stream }) => stream), ["stream-8"])
  })

  it("drops the oldest events to limit its memory", () => {
    const tail = makeTailCache()
    const count = 2_000
    for (let position = 1; position <= count; position++) tail.add(...at(position))
    assert.isUndefined(tail.between(0, -1, count))
    assert.lengthOf(tail.between(count - 500, -1, count) ?? [], 500)
    for (let position = count + 1; position <= count + 4; position++) tail.add(...at(position, 1_000_000))
    assert.isUndefined(tail.between(count, -1, count + 4))
    assert.lengthOf(tail.between(count + 3, -1, count + 4) ?? [], 1)
  })
})
