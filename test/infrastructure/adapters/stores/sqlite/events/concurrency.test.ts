import { assert, layer } from "../../../../../support/it.ts"
import { Effect, Layer, Result, Schema } from "effect"
import type { NewEvent } from "../../../../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../../../../ports/event-store.ts"
import { layerEventStoreEmbedded } from "../../../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { newEvents, newStream } from "../../../../../contracts/event-store-events.ts"
import { tempLog } from "./temp-folder.ts"
import { runs } from "../../../../../support/runs.ts"

const Attempt = Schema.Struct({
  stream: Schema.Literals([0, 1]),
  expected: Schema.Union([Schema.Literal("no-stream"), Schema.Literals([0, 1, 2, 3])]),
  count: Schema.Literals([1, 2]),
  /** How many times the same append is made. */
  times: Schema.Literals([1, 1, 2])
})

const lengthAfter = (expected: "no-stream" | number): number => expected === "no-stream" ? 0 : expected + 1

const embedded = Layer.unwrap(Effect.map(tempLog, (file) => layerEventStoreEmbedded({ file })))

layer.live(embedded)("the embedded event store under concurrent appends", (it) => {
  it.effect.prop(
    "equals a sequential execution",
    { attempts: Schema.Array(Attempt) },
    ({ attempts }) =>
      Effect.gen(function* () {
        const { append, head, readAll } = yield* EventStore
        const before = yield* head
        const names = [newStream(), newStream()] as const
        const appends = attempts.flatMap(({ count, expected, stream, times }) => {
          const attempt = { stream: names[stream], expected, events: newEvents(count) }
          return Array.from({ length: times }, () => attempt)
        })
        const results = yield* Effect.forEach(
          appends,
          ({ events, expected, stream }) => Effect.result(append(stream, expected, events)),
          { concurrency: "unbounded" }
        )

        const winners = new Map<ReadonlyArray<NewEvent>, bigint>()
        const order = results.flatMap((result, index) => {
          const attempt = appends[index]
          if (attempt === undefined || Result.isFailure(result)) return []
          const position = result.success.position.commit
          const first = winners.get(attempt.events)
          if (first !== undefined) assert.strictEqual(position, first)
          winners.set(attempt.events, position)
          return first === undefined ? [{ ...attempt, position }] : []
        }).sort((a, b) => Number(a.position - b.position))

        // In the order of positions, every successful append had the right expected revision.
        const lengths = new Map<string, ReadonlyArray<number>>(names.map((name) => [name, [0]]))
        for (const { events, expected, stream } of order) {
          const past = lengths.get(stream) ?? []
          assert.strictEqual(past.at(-1), lengthAfter(expected))
          lengths.set(stream, [...past, lengthAfter(expected) + events.length])
        }
        // Every failed append found a length that the stream had at some time, and not the expected one.
        results.forEach((result, index) => {
          const attempt = appends[index]
          if (attempt === undefined || Result.isSuccess(result)) return
          const { failure } = result
          if (failure._tag !== "WrongExpectedRevision") return assert.fail(failure.reason)
          assert.include(lengths.get(attempt.stream) ?? [], lengthAfter(failure.actual))
          assert.notStrictEqual(failure.actual, attempt.expected)
        })
        // The log contains exactly the successful appends.
        const log = yield* readAll({ after: before, limit: 10_000 })
        assert.deepStrictEqual(log.map(({ id }) => id), order.flatMap(({ events }) => events.map(({ id }) => id)))
      }),
    { arbitrary: { runs: runs(100) } }
  )
})
