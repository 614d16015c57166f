import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import type { NewEvent } from "../../../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../../../ports/event-store.ts"
import { layerEventStoreEmbedded } from "../../../../../infrastructure/stores/sqlite/events/store.ts"
import { newEvents, newStream } from "../../../../contracts/event-store-events.ts"
import { tempLog } from "./temp-folder.ts"
import { runs } from "../../../../support/runs.ts"

const Attempt = Schema.Struct({
  stream: Schema.Literals([0, 1]),
  expected: Schema.Union([Schema.Literal("no-stream"), Schema.Literals([0, 1, 2, 3])]),
  count: Schema.Literals([1, 2]),
  /** How often the same append is made. */
  times: Schema.Literals([1, 1, 2])
})

const lengthBehind = (expected: "no-stream" | number): number => expected === "no-stream" ? 0 : expected + 1

const embedded = Layer.unwrap(Effect.map(tempLog, (file) => layerEventStoreEmbedded({ file })))

layer(embedded, { excludeTestServices: true })("the embedded event store under concurrent appends", (it) => {
  it.effect.prop(
    "is as if they had come one after the other",
    { attempts: Schema.Array(Attempt) },
    ({ attempts }) =>
      Effect.gen(function* () {
        const { append, head, readAll } = yield* EventStore
        const before = yield* head
        const names = [newStream(), newStream()] as const
        const appends = attempts.flatMap(({ count, expected, stream, times }) => {
          const made = { stream: names[stream], expected, events: newEvents(count) }
          return Array.from({ length: times }, () => made)
        })
        const results = yield* Effect.forEach(
          appends,
          ({ events, expected, stream }) => Effect.result(append(stream, expected, events)),
          { concurrency: "unbounded" }
        )

        const winners = new Map<ReadonlyArray<NewEvent>, bigint>()
        const order = results.flatMap((result, index) => {
          const made = appends[index]
          if (made === undefined || Result.isFailure(result)) return []
          const position = result.success.position.commit
          const first = winners.get(made.events)
          if (first !== undefined) assert.strictEqual(position, first)
          winners.set(made.events, position)
          return first === undefined ? [{ ...made, position }] : []
        }).sort((one, other) => Number(one.position - other.position))

        // In the order of their positions, every append that succeeded was made at the right revision …
        const lengths = new Map<string, ReadonlyArray<number>>(names.map((name) => [name, [0]]))
        for (const { events, expected, stream } of order) {
          const past = lengths.get(stream) ?? []
          assert.strictEqual(past.at(-1), lengthBehind(expected))
          lengths.set(stream, [...past, lengthBehind(expected) + events.length])
        }
        // … every one that failed met a length that the stream once had, and not the expected one …
        results.forEach((result, index) => {
          const made = appends[index]
          if (made === undefined || Result.isSuccess(result)) return
          const { failure } = result
          if (failure._tag !== "WrongExpectedRevision") return assert.fail(failure.reason)
          assert.include(lengths.get(made.stream) ?? [], lengthBehind(failure.actual))
          assert.notStrictEqual(failure.actual, made.expected)
        })
        // … and the log holds exactly the former.
        const log = yield* readAll({ after: before, limit: 10_000 })
        assert.deepStrictEqual(log.map(({ id }) => id), order.flatMap(({ events }) => events.map(({ id }) => id)))
      }),
    { arbitrary: { runs: runs(100) } }
  )
})
