import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { EgressRequest } from "../../../ports/egress.ts"
import { until } from "../../support/until-done.ts"
import { givenWorkers, type World } from "../processes/given-worker.ts"

const hostOf = ({ url }: EgressRequest): string => new URL(url).host

const endMany = Effect.fnUntraced(function* (world: World, host: string, count: number) {
  for (let n = 0; n < count; n++) yield* world.end(`${host}-${n}`, "{}", `https://${host}/${n}`)
})

const sentTo = ({ sent }: World, host: string): number => sent.filter((one) => hostOf(one) === host).length

const delivered = (world: World, host: string, count: number) =>
  until(
    Effect.map(world.events, (events) =>
      events.filter(({ data, type }) =>
        type === "CallbackDelivered" && data["host"] === host
      ).length === count)
  )

describe("a host that does not answer", () => {
  it.effect("gets eight concurrent requests, and does not delay other hosts", () =>
    Effect.gen(function* () {
      const world = yield* givenWorkers
      world.outside.answer = (request) => hostOf(request) === "tar.example" ? Effect.never : Effect.succeed(200)
      yield* endMany(world, "tar.example", 700)
      yield* endMany(world, "shop.example", 20)

      yield* world.start()
      yield* delivered(world, "shop.example", 20)

      assert.strictEqual(sentTo(world, "tar.example"), 8)
    }))

  it.effect("leaves capacity for every other host", () =>
    Effect.gen(function* () {
      const world = yield* givenWorkers
      world.outside.answer = (request) => hostOf(request).startsWith("tar") ? Effect.never : Effect.succeed(200)
      for (let host = 0; host < 40; host++) yield* endMany(world, `tar${host}.example`, 9)
      yield* endMany(world, "shop.example", 9)

      yield* world.start()
      yield* delivered(world, "shop.example", 9)

      yield* until(Effect.sync(() => world.sent.length === 40 * 8 + 9))
    }))
})

describe("a host that fails ten consecutive times", () => {
  const failing = Effect.gen(function* () {
    const world = yield* givenWorkers
    world.outside.answer = (request) => Effect.succeed(hostOf(request) === "down.example" ? 503 : 200)
    yield* endMany(world, "down.example", 60)
    return world
  })

  it.effect("gets only probes, while other hosts get their callbacks", () =>
    Effect.gen(function* () {
      const world = yield* failing
      yield* world.start()

      yield* until(Effect.sync(() => sentTo(world, "down.example") >= 10))
      yield* TestClock.adjust("20 seconds")
      const before = sentTo(world, "down.example")
      assert.isAtMost(before, 17, "what was under way when it opened")
      yield* endMany(world, "shop.example", 3)
      yield* delivered(world, "shop.example", 3)
      yield* TestClock.adjust("1 minute")

      const probes = sentTo(world, "down.example") - before
      assert.isAtLeast(probes, 2)
      assert.isAtMost(probes, 3)
    }))

  it.effect("gets all callbacks when a probe is delivered", () =>
    Effect.gen(function* () {
      const world = yield* failing
      yield* world.start()
      yield* until(Effect.sync(() => sentTo(world, "down.example") >= 10))
      yield* TestClock.adjust("5 seconds")

      world.outside.answer = () => Effect.succeed(200)
      yield* delivered(world, "down.example", 60)
    }))

  it.effect("is still paused after a restart", () =>
    Effect.gen(function* () {
      const world = yield* failing
      const first = yield* world.start()
      yield* until(Effect.sync(() => sentTo(world, "down.example") >= 10))
      yield* TestClock.adjust("2 seconds")
      yield* first.stop
      const before = sentTo(world, "down.example")
      const lastAt = world.sent.at(-1)?.at ?? 0

      yield* world.start()
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(sentTo(world, "down.example"), before)
      yield* until(Effect.sync(() => sentTo(world, "down.example") > before))

      assert.isAtLeast(world.sent.at(-1)?.at ?? 0, lastAt + 30_000)
      assert.strictEqual(sentTo(world, "down.example"), before + 1)
    }))
})
