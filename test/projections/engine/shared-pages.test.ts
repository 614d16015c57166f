import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { beginning, type Position } from "../../../domain/events/recorded-event.ts"
import { makeSharedPages, type Reader } from "../../../projections/engine/shared-pages.ts"
import { untilDone } from "../../support/advance-clock.ts"
import { recordedEvent } from "../../support/event-fixtures.ts"

const PAGES = 40

const eventAt = (position: number) =>
  recordedEvent("Counted", {}, {
    stream: "count-1",
    revision: position,
    position: { commit: BigInt(position), prepare: BigInt(position) }
  })

/** Pages of one event each, and the positions after which the log was read. */
const given = () => {
  const reads: Array<bigint> = []
  const pages = makeSharedPages(({ commit }: Position) =>
    Effect.sync(() => {
      reads.push(commit)
      return Number(commit) < PAGES ? [eventAt(Number(commit) + 1)] : []
    })
  )
  /** Takes `count` pages with pauses between them, and returns the positions of the events. */
  const readSome = Effect.fnUntraced(function* (reader: Reader, from: Position, count: number, pauseMillis: number) {
    const seen: Array<number> = []
    let at = from
    for (let page = 0; page < count; page++) {
      const events = yield* pages.after(at, reader)
      yield* pauseMillis === 0 ? Effect.yieldNow : Effect.sleep(pauseMillis)
      for (const { position } of events) {
        seen.push(Number(position.commit))
        at = position
      }
    }
    return seen
  })
  return { pages, reads, readSome }
}

const all = Array.from({ length: PAGES }, (_, index) => index + 1)

describe("shared pages of the log", () => {
  it.effect("are read once for readers of different speed, without a gap", () =>
    Effect.gen(function* () {
      const { readSome, reads } = given()
      const reading = yield* Effect.forkScoped(
        Effect.forEach([0, 1, 30, 100], (pause) => readSome({}, beginning, PAGES, pause), { concurrency: "unbounded" })
      )
      yield* untilDone(reading)
      for (const seen of yield* Fiber.join(reading)) assert.deepStrictEqual(seen, all)
      assert.lengthOf(reads, PAGES)
    }))

  it.effect("are not held back for long by a reader that stopped, nor at all by one that left", () =>
    Effect.gen(function* () {
      const { pages, readSome, reads } = given()
      const [stopped, gone] = [{}, {}]
      yield* pages.after(beginning, stopped)
      yield* pages.after(beginning, gone)
      const reading = yield* Effect.forkScoped(readSome({}, beginning, PAGES, 0))
      yield* TestClock.adjust("1 second")
      assert.isBelow(reads.length, PAGES)
      pages.leave(gone)
      yield* untilDone(reading)
      assert.deepStrictEqual(yield* Fiber.join(reading), all)

      // The reader that stopped goes on by itself.
      assert.deepStrictEqual(yield* readSome(stopped, beginning, PAGES, 0), all)
    }))

  it.effect("are read again for readers that begin after all others have left", () =>
    Effect.gen(function* () {
      const { pages, readSome, reads } = given()
      const reader = {}
      yield* readSome(reader, beginning, PAGES, 0)
      pages.leave(reader)
      const both = [readSome({}, beginning, PAGES, 0), readSome({}, beginning, PAGES, 0)]
      assert.deepStrictEqual(yield* Effect.all(both, { concurrency: "unbounded" }), [all, all])
      assert.lengthOf(reads, 2 * PAGES)
    }))
})
