import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EventStoreError } from "../../../ports/event-store.ts"
import { until } from "../../support/until-done.ts"
import { body, callbackEnds, givenWorkers, textOf } from "../processes/given-worker.ts"

describe("a callback with several processes, or after a crash", () => {
  it.effect("continues after a restart, at the time in the log", () =>
    Effect.gen(function* () {
      const world = yield* givenWorkers
      world.outside.answer = () => Effect.succeed(503)
      const first = yield* world.start()
      yield* world.end("j-1", body)
      yield* callbackEnds(world, "CallbackAttemptFailed")
      yield* first.stop
      const dueAt = yield* world.momentOf("callback-j-1", "CallbackAttemptFailed", "nextAttemptAt")

      world.outside.answer = () => Effect.succeed(200)
      yield* world.start()
      yield* callbackEnds(world, "CallbackDelivered")

      assert.strictEqual(world.sent.length, 2)
      assert.isAtLeast(world.sent[1]?.at ?? 0, dueAt)
      assert.deepStrictEqual(world.sent.map(textOf), [body, body])
    }))

  it.effect("is sent again by another process when the sending process died before the answer", () =>
    Effect.gen(function* () {
      const world = yield* givenWorkers
      world.outside.answer = () => Effect.never
      const dying = yield* world.start({ claims: world.claimsOfTheDead })
      yield* world.end("j-1", body)
      yield* until(Effect.sync(() => world.sent.length === 1))
      const diedAt = world.sent[0]?.at ?? 0
      yield* dying.stop

      world.outside.answer = () => Effect.succeed(200)
      yield* world.start()
      yield* callbackEnds(world, "CallbackDelivered")

      assert.deepStrictEqual(yield* world.story("callback-j-1", "attempt"), [
        ["CallbackScheduled", undefined],
        ["CallbackSent", 1],
        ["CallbackSent", 2],
        ["CallbackDelivered", 2]
      ])
      assert.isAtLeast(world.sent[1]?.at ?? 0, diedAt + 30_000, "as long as the claim holds it may be under way")
      assert.deepStrictEqual(world.sent.map(textOf), [body, body])
    }))

  it.effect("is sent once by two processes with a worker", () =>
    Effect.gen(function* () {
      const world = yield* givenWorkers
      const [one, other] = [yield* world.start(), yield* world.start()]
      const jobs = Array.from({ length: 40 }, (_, index) => `j-${index}`)
      for (const job of jobs) yield* world.end(job, body, `https://${job}.example/`)

      const work = jobs.map((jobId) => ({ process: "callback-delivery" as const, lane: `${jobId}.example`, jobId }))
      yield* Effect.all([one.notify(work), other.notify(work)])
      for (const job of jobs) yield* callbackEnds(world, "CallbackDelivered", job)

      assert.strictEqual(world.sent.length, jobs.length)
    }))

  it.effect("is sent once by two processes that both assume to hold the claim", () =>
    Effect.gen(function* () {
      const world = yield* givenWorkers
      const granted = { claim: () => Effect.succeed(true), giveBack: () => Effect.void }
      world.outside.answer = () => Effect.delay(Effect.succeed(200), "10 millis")
      const [one, other] = [yield* world.start({ claims: granted }), yield* world.start({ claims: granted })]
      yield* world.end("j-1", body)
      const work = [{ process: "callback-delivery", lane: "shop.example", jobId: "j-1" }] as const

      yield* Effect.all([one.notify(work), other.notify(work)], { concurrency: 2 })
      yield* callbackEnds(world, "CallbackDelivered")

      const attempts = (yield* world.story("callback-j-1", "attempt")).filter(([type]) => type === "CallbackSent")
      assert.strictEqual(new Set(attempts.map(([, attempt]) => attempt)).size, world.sent.length)
    }))

  it.effect("keeps its outcome while the store is unavailable", () =>
    Effect.gen(function* () {
      const world = yield* givenWorkers
      let refused = 0
      world.outside.answer = () =>
        Effect.sync(() => {
          world.trouble.before = () =>
            refused++ < 20
              ? Effect.fail(new EventStoreError({ operation: "append", reason: "unavailable" }))
              : Effect.void
          return 200
        })
      yield* world.start()

      yield* world.end("j-1", body)
      yield* callbackEnds(world, "CallbackDelivered")

      assert.isAtLeast(refused, 20)
      assert.strictEqual(world.sent.length, 1)
    }))

  it.effect("has one outcome when the answer of the store was lost", () =>
    Effect.gen(function* () {
      const world = yield* givenWorkers
      let lost = 0
      world.trouble.after = (appended, stream) =>
        stream === "callback-j-1" && lost++ < 2
          ? Effect.fail(new EventStoreError({ operation: "append", reason: "timeout" }))
          : Effect.succeed(appended)
      yield* world.start()

      yield* world.end("j-1", body)
      yield* callbackEnds(world, "CallbackDelivered")

      assert.deepStrictEqual(yield* world.story("callback-j-1"), [
        "CallbackScheduled",
        "CallbackSent",
        "CallbackDelivered"
      ])
      assert.strictEqual(world.sent.length, 1)
    }))
})
