import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { makeDurableHead } from "../../../../../infrastructure/stores/sqlite/events/durable-head.ts"
import { openForReading } from "../../../../../infrastructure/stores/sqlite/events/log-file.ts"
import { makeLogReader } from "../../../../../infrastructure/stores/sqlite/events/log-reader.ts"
import { makeRecentEvents } from "../../../../../infrastructure/stores/sqlite/events/tail-cache.ts"
import { openWriter } from "../../../../../infrastructure/stores/sqlite/events/writer.ts"
import { newEvent, newEvents } from "../../../../contracts/event-store-events.ts"
import { tempLog } from "./temp-folder.ts"

const given = Effect.gen(function* () {
  const file = yield* tempLog
  mkdirSync(dirname(file))
  const recent = makeRecentEvents()
  const { append } = yield* openWriter(file, makeDurableHead(), recent)
  const inFile = makeLogReader(openForReading(file))
  yield* Effect.addFinalizer(() => Effect.sync(() => inFile.close()))
  return { append, inFile, recent }
})

/** An append of one event at a position, with data of a size. */
const at = (position: number, chars = 10) => ({
  stream: `stream-${position}`,
  events: [randomUUID(), "Happened", JSON.stringify("x".repeat(chars)), "{}"],
  revision: 0,
  position,
  recordedAt: 1
})

describe("the newest events of the embedded log", () => {
  it.live("are what the file holds, from any position on, with any limit", () =>
    Effect.gen(function* () {
      const { append, inFile, recent } = yield* given
      yield* append("a", "no-stream", newEvents(3))
      const [doubled] = newEvents(1)
      assert.isDefined(doubled)
      // Written as it is read back: in small letters.
      yield* append("b", "no-stream", [{ ...newEvent(), id: randomUUID().toUpperCase() }, doubled])
      yield* Effect.flip(append("a", 0, newEvents(1)))
      yield* append("b", 0, [doubled])
      yield* append("a", 2, newEvents(2))
      for (const after of [0, 1, 3, 6, 7]) {
        for (const limit of [-1, 0, 1, 2, 100]) {
          for (const upTo of [0, 1, 4, 7]) {
            assert.deepStrictEqual(recent.between(after, limit, upTo), inFile.all(after, limit, upTo))
          }
        }
      }
    }))

  it("are told only where none is missing", () => {
    const recent = makeRecentEvents()
    recent.add(at(5))
    recent.add(at(6))
    assert.isUndefined(recent.between(3, 10, 6), "the first one is not kept")
    assert.isUndefined(recent.between(5, 10, 7), "the last one is not kept")
    assert.lengthOf(recent.between(4, 10, 6) ?? [], 2)
    // Somebody else's stands between them.
    recent.add(at(8))
    assert.isUndefined(recent.between(5, 10, 8))
    assert.deepStrictEqual(recent.between(7, 10, 8)?.map(({ stream }) => stream), ["stream-8"])
  })

  it("are given up before they take much memory, oldest first", () => {
    const recent = makeRecentEvents()
    const count = 2_000
    for (let position = 1; position <= count; position++) recent.add(at(position))
    assert.isUndefined(recent.between(0, -1, count))
    assert.lengthOf(recent.between(count - 500, -1, count) ?? [], 500)
    for (let position = count + 1; position <= count + 4; position++) recent.add(at(position, 1_000_000))
    assert.isUndefined(recent.between(count, -1, count + 4))
    assert.lengthOf(recent.between(count + 3, -1, count + 4) ?? [], 1)
  })
})
