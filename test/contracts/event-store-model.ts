import { assert, type Vitest } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { NewEvent } from "../../domain/events/recorded-event.ts"
import { EventStore, type ExpectedRevision } from "../../ports/event-store.ts"
import { newEvents, newStream } from "./event-store-events.ts"
import { runs } from "../support/runs.ts"

const Step = Schema.Struct({
  stream: Schema.Literals([0, 1, 2]),
  count: Schema.Literals([1, 2, 3]),
  kind: Schema.Literals(["right", "right", "too-low", "too-high", "repeat"]),
  /** The index of the earlier append that a repeat sends again. */
  pick: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 }))
})

interface Done {
  readonly stream: string
  readonly expected: ExpectedRevision
  readonly events: ReadonlyArray<NewEvent>
  readonly revision: number
}

/**
 * Appends with right, wrong and repeated revisions have the same outcomes, streams and global order as arrays in
 * memory.
 */
export const modelProperty = (
  it: { readonly effect: Pick<Vitest.MethodsNonLive<EventStore>["effect"], "prop"> }
): void =>
  it.effect.prop(
    "behaves like arrays in memory",
    { steps: Schema.Array(Step) },
    ({ steps }) =>
      Effect.gen(function* () {
        const { append, head, readAll, readStream } = yield* EventStore
        const before = yield* head
        const names = [newStream(), newStream(), newStream()]
        const log: Array<{ readonly stream: string; readonly id: string }> = []
        const done: Array<Done> = []

        for (const { count, kind, pick, stream: index } of steps) {
          const repeated = done[pick % Math.max(done.length, 1)]
          if (kind === "repeat" && repeated !== undefined) {
            const { revision } = yield* append(repeated.stream, repeated.expected, repeated.events)
            assert.strictEqual(revision, repeated.revision)
            continue
          }
          const stream = names[index] ?? ""
          const length = log.filter((event) => event.stream === stream).length
          const events = newEvents(count)
          const right: ExpectedRevision = length === 0 ? "no-stream" : length - 1
          if (kind === "too-low" || kind === "too-high") {
            const expected: ExpectedRevision = kind === "too-high" ? length : length > 1 ? length - 2 : "no-stream"
            if (expected === right) continue
            const error = yield* Effect.flip(append(stream, expected, events))
            assert.deepInclude({ ...error }, { _tag: "WrongExpectedRevision", stream, expected, actual: right })
            continue
          }
          const { revision } = yield* append(stream, right, events)
          assert.strictEqual(revision, length + count - 1)
          done.push({ stream, expected: right, events, revision })
          log.push(...events.map(({ id }) => ({ stream, id })))
        }

        for (const stream of names) {
          const ids = (yield* readStream(stream)).map(({ id }) => id)
          assert.deepStrictEqual(ids, log.filter((event) => event.stream === stream).map(({ id }) => id))
        }
        const own: Array<string> = []
        let page = yield* readAll({ after: before, limit: 50 })
        for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
          own.push(...page.filter(({ stream }) => names.includes(stream)).map(({ id }) => id))
          page = yield* readAll({ after: last.position, limit: 50 })
        }
        assert.deepStrictEqual(own, log.map(({ id }) => id))
      }),
    { arbitrary: { runs: runs(50) } }
  )
