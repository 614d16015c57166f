import { assert, describe, it } from "../../../../support/it.ts"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Instance, Leases } from "../../../../../ports/leases.ts"
import { layerLeasesRedis } from "../../../../../infrastructure/adapters/stores/redis/leases.ts"
import { settled } from "../../../../support/advance-clock.ts"
import { eventuallyHolds } from "../../../../support/eventually.ts"
import { startRedisServer } from "../../../../support/redis-server.ts"
import { patientConnection } from "./given-redis.ts"

const NAME = "rebuild of quota.v1"
const KEY = "sliptrail:{rebuild%20of%20quota.v1}:lease"
/** Short, for a lease that is lost or that a dead process had. A holder that is a second late loses it. */
const SHORT = 1_500
/** No lease expires during a test by itself. */
const LONG = 600_000

describe("a lease on Redis", () => {
  it.effect("stays with its holder during its work, and is then granted to the next process immediately", function* () {
    const server = yield* startRedisServer()
    const [one, other] = [yield* startLeases(server.url, LONG), yield* startLeases(server.url, LONG)]
    const first = yield* startWork(one)
    yield* withoutTime(first.isRunning)
    const second = yield* startWork(other)
    yield* settled
    // Twice as long as a lease lasts without a renewal.
    for (let renewals = 0; renewals < 6; renewals++) {
      yield* server.command("PEXPIRE", KEY, LONG / 2)
      yield* TestClock.adjust(LONG / 3)
      yield* withoutTime(Effect.map(server.command("PTTL", KEY), (left) => Number(left) > LONG / 2))
    }
    assert.deepStrictEqual([first.starts(), first.stops(), second.starts()], [1, 0, 0])
    const held = yield* server.command("GET", KEY)
    assert.isString(held)
    yield* Fiber.interrupt(first.fiber)
    // The second process may hold it by now.
    assert.notStrictEqual(yield* server.command("GET", KEY), held)
    yield* TestClock.adjust(LONG / 6)
    yield* withoutTime(second.isRunning)
  })

  it.live("is granted to another process when its holder is killed", function* () {
    const server = yield* startRedisServer()
    const child = yield* startHolder(server.url)
    const work = yield* startWork(yield* startLeases(server.url))
    assert.strictEqual(work.starts(), 0)
    child.kill("SIGKILL")
    yield* eventuallyHolds(work.isRunning)
  })

  it.live("is granted at once to the process that takes the identity of its dead holder, and to no other", function* () {
    const server = yield* startRedisServer()
    const holder = "shop-1/earlier process/work"
    yield* server.command("SET", KEY, holder, "PX", 2 * LONG)
    const other = yield* startWork(
      yield* startLeases(server.url, LONG).pipe(Effect.provideService(Instance, "shop-10"))
    )
    const nameless = yield* startWork(yield* startLeases(server.url, LONG))
    const same = yield* startWork(
      yield* startLeases(server.url, LONG).pipe(Effect.provideService(Instance, "shop-1"))
    )
    yield* eventuallyHolds(same.isRunning)
    assert.deepStrictEqual([other.starts(), nameless.starts()], [0, 0])
    assert.notStrictEqual(yield* server.command("GET", KEY), holder)
    assert.isAtMost(Number(yield* server.command("PTTL", KEY)), LONG)
  })

  it.live("is given up when another process holds it, and acquired again later", function* () {
    const server = yield* startRedisServer()
    const work = yield* startWork(yield* startLeases(server.url))
    yield* eventuallyHolds(work.isRunning)
    yield* server.command("SET", KEY, "another process", "PX", LONG)
    yield* eventuallyHolds(Effect.sync(() => work.stops() >= 1))
    assert.strictEqual(yield* server.command("GET", KEY), "another process")
    yield* server.command("DEL", KEY)
    yield* eventuallyHolds(Effect.sync(() => work.starts() >= 2))
  })

  it.live("is given up while Redis is unavailable, and acquired again afterwards", function* () {
    const server = yield* startRedisServer()
    const work = yield* startWork(yield* startLeases(server.url))
    yield* eventuallyHolds(work.isRunning)
    yield* server.stop()
    yield* eventuallyHolds(Effect.sync(() => work.stops() >= 1))
    const startsBefore = work.starts()
    yield* server.start
    yield* eventuallyHolds(Effect.sync(() => work.starts() > startsBefore))
  })

  it.live("is given up in time while Redis hangs, and acquired again afterwards", function* () {
    const server = yield* startRedisServer()
    const work = yield* startWork(yield* startLeases(server.url))
    yield* eventuallyHolds(work.isRunning)
    yield* Effect.acquireUseRelease(
      server.pause,
      () => eventuallyHolds(Effect.sync(() => work.stops() >= 1)),
      () => server.resume
    )
    yield* eventuallyHolds(Effect.sync(() => work.starts() >= 2))
  })
})

/** Waits in real time, while the test clock stands still. */
const withoutTime = (condition: Effect.Effect<boolean>) =>
  Effect.andThen(TestClock.withLive(eventuallyHolds(condition)), settled)

const startLeases = (url: string, holdFor = SHORT) =>
  layerLeasesRedis({ holdFor }).pipe(
    Layer.provide(patientConnection(url)),
    Layer.fresh,
    Layer.build,
    Effect.map(Context.get(Leases))
  )

/** Starts work that runs until it is interrupted. */
const startWork = Effect.fnUntraced(function* (leases: Leases["Service"]) {
  let starts = 0
  let stops = 0
  const work = Effect.sync(() => {
    starts++
  }).pipe(
    Effect.andThen(Effect.never),
    Effect.ensuring(Effect.sync(() => {
      stops++
    }))
  )
  const fiber = yield* Effect.forkScoped(leases.whileHolding(NAME, work))
  return { fiber, starts: () => starts, stops: () => stops, isRunning: Effect.sync(() => starts > stops) }
})

const startHolder = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const runtime = "Deno" in globalThis ? ["run", "-A"] : []
      const child = spawn(process.execPath, [...runtime, program, url, NAME, String(SHORT)], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      await once(child.stdout, "data")
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const program = fileURLToPath(new URL("./hold-lease.ts", import.meta.url))
