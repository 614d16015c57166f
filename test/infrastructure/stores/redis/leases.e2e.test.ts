import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { Instance, Leases } from "../../../../ports/leases.ts"
import { layerRedisConnection } from "../../../../infrastructure/stores/redis/connection.ts"
import { layerLeasesRedis } from "../../../../infrastructure/stores/redis/leases.ts"
import { eventuallyHolds } from "../../../support/eventually.ts"
import { startRedisServer } from "../../../support/redis-server.ts"

const NAME = "rebuild of quota.v1"
const KEY = "sliptrail:{rebuild%20of%20quota.v1}:lease"
/** Long enough for a busy machine. A holder that renews late by two thirds of it loses the lease. */
const holdFor = 1_500

describe("a lease on Redis, in real time", () => {
  it.live("stays with its holder during its work, and is then granted to the next process immediately", () =>
    Effect.gen(function* () {
      const server = yield* startRedisServer()
      const [one, other] = [yield* startLeases(server.url), yield* startLeases(server.url)]
      const first = yield* startWork(one)
      yield* eventuallyHolds(first.isRunning)
      const second = yield* startWork(other)
      const start = yield* serverMillis(server)
      yield* eventuallyHolds(Effect.map(serverMillis(server), (now) => now > start + 2 * holdFor))
      assert.deepStrictEqual([first.starts(), first.stops(), second.starts()], [1, 0, 0])
      const held = yield* server.command("GET", KEY)
      yield* Fiber.interrupt(first.fiber)
      // The second process may hold it by now.
      assert.notStrictEqual(yield* server.command("GET", KEY), held)
      yield* eventuallyHolds(second.isRunning)
    }))

  it.live("is granted to another process when its holder is killed", () =>
    Effect.gen(function* () {
      const server = yield* startRedisServer()
      const child = yield* startHolder(server.url)
      const work = yield* startWork(yield* startLeases(server.url))
      assert.strictEqual(work.starts(), 0)
      child.kill("SIGKILL")
      yield* eventuallyHolds(work.isRunning)
    }))

  it.live("is granted at once to the process that takes the identity of its dead holder, and to no other", () =>
    Effect.gen(function* () {
      const server = yield* startRedisServer()
      const holder = "shop-1/earlier process/work"
      yield* server.command("SET", KEY, holder, "PX", 600_000)
      const other = yield* startWork(yield* startLeases(server.url).pipe(Effect.provideService(Instance, "shop-10")))
      const nameless = yield* startWork(yield* startLeases(server.url))
      const same = yield* startWork(yield* startLeases(server.url).pipe(Effect.provideService(Instance, "shop-1")))
      yield* eventuallyHolds(same.isRunning)
      assert.deepStrictEqual([other.starts(), nameless.starts()], [0, 0])
      assert.notStrictEqual(yield* server.command("GET", KEY), holder)
      assert.isAtMost(Number(yield* server.command("PTTL", KEY)), holdFor)
    }))

  it.live("is given up when another process holds it, and acquired again later", () =>
    Effect.gen(function* () {
      const server = yield* startRedisServer()
      const work = yield* startWork(yield* startLeases(server.url))
      yield* eventuallyHolds(work.isRunning)
      yield* server.command("SET", KEY, "another process", "PX", 60_000)
      yield* eventuallyHolds(Effect.sync(() => work.stops() >= 1))
      assert.strictEqual(yield* server.command("GET", KEY), "another process")
      yield* server.command("DEL", KEY)
      yield* eventuallyHolds(Effect.sync(() => work.starts() >= 2))
    }))

  it.live("is given up while Redis is unavailable, and acquired again afterwards", () =>
    Effect.gen(function* () {
      const server = yield* startRedisServer()
      const work = yield* startWork(yield* startLeases(server.url))
      yield* eventuallyHolds(work.isRunning)
      yield* server.stop()
      yield* eventuallyHolds(Effect.sync(() => work.stops() >= 1))
      const startsBefore = work.starts()
      yield* server.start
      yield* eventuallyHolds(Effect.sync(() => work.starts() > startsBefore))
    }))

  it.live("is given up in time while Redis hangs, and acquired again afterwards", () =>
    Effect.gen(function* () {
      const server = yield* startRedisServer()
      const work = yield* startWork(yield* startLeases(server.url))
      yield* eventuallyHolds(work.isRunning)
      yield* server.pause
      yield* eventuallyHolds(Effect.sync(() => work.stops() >= 1))
      yield* server.resume
      yield* eventuallyHolds(Effect.sync(() => work.starts() >= 2))
    }))
})

const startLeases = (url: string) =>
  layerLeasesRedis({ holdFor }).pipe(
    Layer.provide(layerRedisConnection({ url: Redacted.make(url) })),
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

const serverMillis = (server: Effect.Success<ReturnType<typeof startRedisServer>>) =>
  Effect.map(
    server.command("TIME"),
    (time) => Array.isArray(time) ? Number(time[0]) * 1000 + Number(time[1]) / 1000 : 0
  )

const startHolder = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const runtime = "Deno" in globalThis ? ["run", "-A"] : []
      const child = spawn(process.execPath, [...runtime, program, url, NAME, String(holdFor)], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      await once(child.stdout, "data")
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const program = fileURLToPath(new URL("./hold-lease.ts", import.meta.url))
