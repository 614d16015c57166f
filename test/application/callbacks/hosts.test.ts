import { assert, describe, it } from "../../support/it.ts"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { EgressError, type EgressRequest } from "../../../ports/egress.ts"
import { until } from "../../support/advance-clock.ts"
import { givenWorkers, type WorkerFixture } from "../processes/given-worker.ts"

const hostOf = ({ url }: EgressRequest): string => new URL(url).host

const endMany = Effect.fnUntraced(function* (fixture: WorkerFixture, host: string, count: number) {
  for (let n = 0; n < count; n++) yield* fixture.end(`${host}-${n}`, "{}", `https://${host}/${n}`)
})

const sentTo = ({ sent }: WorkerFixture, host: string): number => sent.filter((one) => hostOf(one) === host).length

const delivered = (fixture: WorkerFixture, host: string, count: number) =>
  until(
    Effect.map(fixture.events, (events) =>
      events.filter(({ data, type }) =>
        type === "CallbackDelivered" && data["host"] === host
      ).length === count)
  )

describe("a host that does not answer", () => {
  it.effect("gets eight concurrent requests, and does not delay other hosts", function* () {
    const fixture = yield* givenWorkers
    fixture.stubs.answer = (request) => hostOf(request) === "tar.example" ? Effect.never : Effect.succeed(200)
    yield* endMany(fixture, "tar.example", 700)
    yield* endMany(fixture, "shop.example", 20)

    yield* fixture.start()
    yield* delivered(fixture, "shop.example", 20)

    assert.strictEqual(sentTo(fixture, "tar.example"), 8)
  })

  it.effect("leaves capacity for other hosts", function* () {
    const fixture = yield* givenWorkers
    fixture.stubs.answer = (request) => hostOf(request).startsWith("tar") ? Effect.never : Effect.succeed(200)
    for (let host = 0; host < 40; host++) yield* endMany(fixture, `tar${host}.example`, 9)
    yield* endMany(fixture, "shop.example", 9)

    yield* fixture.start()
    yield* delivered(fixture, "shop.example", 9)

    yield* until(Effect.sync(() => fixture.sent.length === 40 * 8 + 9))
  })
})

describe("a host to which two branches send callbacks", () => {
  const evil = "https://hooks.example/evil"

  /** Callbacks of another branch to a path that answers as given. */
  const shared = Effect.fnUntraced(function* (others: number, answer: ReturnType<WorkerFixture["stubs"]["answer"]>) {
    const fixture = yield* givenWorkers
    yield* fixture.createBranch("branch-2")
    fixture.stubs.answer = ({ url }) => url === evil ? answer : Effect.succeed(200)
    for (let n = 0; n < others; n++) yield* fixture.end(`evil-${n}`, "{}", evil, "branch-2")
    return fixture
  })

  /** Ends jobs of the first branch, whose callbacks must not wait for a probe or the end of an exchange. */
  const deliversSoon = Effect.fnUntraced(function* (fixture: WorkerFixture, count: number) {
    const endedAt = yield* Clock.currentTimeMillis
    yield* endMany(fixture, "hooks.example", count)
    yield* delivered(fixture, "hooks.example", count)
    const own = fixture.sent.filter(({ url }) => url !== evil)
    assert.isBelow(Math.max(...own.map(({ at }) => at)) - endedAt, 10_000)
  })

  it.effect("is not paused for a branch when the callbacks of the other one fail", function* () {
    const fixture = yield* shared(14, Effect.succeed(500))
    yield* fixture.start()
    yield* until(Effect.sync(() => fixture.sent.length >= 10))
    yield* TestClock.adjust("1 second")
    const before = fixture.sent.length

    yield* deliversSoon(fixture, 3)

    assert.strictEqual(fixture.sent.filter(({ url }) => url === evil).length, before, "they stay paused")
  })

  it.effect("has free exchanges for a branch while those of the other one never end", function* () {
    const fixture = yield* shared(40, Effect.never)
    yield* fixture.start()
    yield* until(Effect.sync(() => fixture.sent.length === 8))

    yield* deliversSoon(fixture, 20)
  })
})

describe("a host whose name finds no free lookup", () => {
  it.effect("is not paused, because the host did nothing wrong", function* () {
    const fixture = yield* givenWorkers
    const busy = new EgressError({ reason: "busy", detail: "too many lookups of this branch" })
    fixture.stubs.answer = () => fixture.sent.length <= 40 ? Effect.fail(busy) : Effect.succeed(200)
    yield* endMany(fixture, "shop.example", 40)

    yield* fixture.start()
    yield* delivered(fixture, "shop.example", 40)

    // The first retry is due after 4 to 6 seconds. A paused host would get a probe 30 seconds after its last failure.
    const [last, retry] = fixture.sent.slice(39)
    assert.isBelow((retry?.at ?? 0) - (last?.at ?? 0), 20_000)
  })
})

describe("a host that fails ten consecutive times", () => {
  const failing = Effect.gen(function* () {
    const fixture = yield* givenWorkers
    fixture.stubs.answer = (request) => Effect.succeed(hostOf(request) === "down.example" ? 503 : 200)
    yield* endMany(fixture, "down.example", 60)
    return fixture
  })

  it.effect("gets only probes, while other hosts get their callbacks", function* () {
    const fixture = yield* failing
    yield* fixture.start()

    yield* until(Effect.sync(() => sentTo(fixture, "down.example") >= 10))
    yield* TestClock.adjust("20 seconds")
    const before = sentTo(fixture, "down.example")
    assert.isAtMost(before, 17, "requests that were in flight when the circuit opened")
    yield* endMany(fixture, "shop.example", 3)
    yield* delivered(fixture, "shop.example", 3)
    yield* TestClock.adjust("1 minute")

    const probes = sentTo(fixture, "down.example") - before
    assert.isAtLeast(probes, 2)
    assert.isAtMost(probes, 3)
  })

  it.effect("gets all callbacks when a probe is delivered", function* () {
    const fixture = yield* failing
    yield* fixture.start()
    yield* until(Effect.sync(() => sentTo(fixture, "down.example") >= 10))
    yield* TestClock.adjust("5 seconds")

    fixture.stubs.answer = () => Effect.succeed(200)
    yield* delivered(fixture, "down.example", 60)
  })

  it.effect("is still paused after a restart", function* () {
    const fixture = yield* failing
    const first = yield* fixture.start()
    yield* until(Effect.sync(() => sentTo(fixture, "down.example") >= 10))
    yield* TestClock.adjust("2 seconds")
    yield* first.stop
    const before = sentTo(fixture, "down.example")
    const lastAt = fixture.sent.at(-1)?.at ?? 0

    yield* fixture.start()
    yield* TestClock.adjust("20 seconds")
    assert.strictEqual(sentTo(fixture, "down.example"), before)
    yield* until(Effect.sync(() => sentTo(fixture, "down.example") > before))

    assert.isAtLeast(fixture.sent.at(-1)?.at ?? 0, lastAt + 30_000)
    assert.strictEqual(sentTo(fixture, "down.example"), before + 1)
  })
})
