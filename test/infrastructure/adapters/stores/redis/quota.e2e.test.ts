import { assert, describe } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { beginning } from "../../../../../domain/events/recorded-event.ts"
import { until } from "../../../../support/advance-clock.ts"
import { startCuttingProxy } from "../../../../support/cutting-proxy.ts"
import { startRedisServer } from "../../../../support/redis-server.ts"
import { timeOf } from "./given-redis.ts"
import {
  appendCharge,
  count,
  model,
  monthSet,
  openKey,
  reasonOf,
  reservation,
  startQuota,
  test,
  whileTimePasses
} from "./given-quota.ts"

describe("the quota of several processes on one Redis", () => {
  test("admits exactly the limit over several connections", function* () {
    const { url } = yield* startRedisServer()
    const processes = yield* Effect.replicateEffect(startQuota(url), 3)
    const answers = yield* Effect.forEach(
      Array.from({ length: 600 }, (_, index) => index),
      (index) =>
        Effect.flatMap(
          Effect.fromNullishOr(processes[index % 3]),
          ({ quota }) => quota.reserve(reservation(`r${index}`, 60))
        ),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(answers.filter((answer) => answer === "reserved"), 60)
  })

  test("admits exactly the limit over several processes", function* () {
    const { url } = yield* startRedisServer()
    const start = (name: string) => startReserving(url, name, 300, 100)
    const processes = yield* Effect.forEach(["a", "b", "c"], start, { concurrency: "unbounded" })
    const reserved = yield* Effect.forEach(processes, ({ go }) => go, { concurrency: "unbounded" })
    assert.strictEqual(reserved.reduce((sum, each) => sum + each, 0), 100)
  })

  test("shares reserved, released and counted units", function* () {
    const { url } = yield* startRedisServer()
    const [one, other] = [yield* startQuota(url), yield* startQuota(url)]
    assert.strictEqual(yield* one.quota.reserve(reservation("r1", 2)), "reserved")
    assert.strictEqual(yield* other.quota.reserve(reservation("r1", 2)), "reserved")
    assert.strictEqual(yield* other.quota.reserve(reservation("r2", 2)), "reserved")
    assert.strictEqual(yield* one.quota.reserve(reservation("r3", 2)), "exceeded")
    yield* one.quota.release(reservation("r2"))
    yield* appendCharge("r1")
    assert.strictEqual(yield* one.quota.reserve(reservation("r3", 1)), "exceeded")
    yield* count(other.models)
    assert.strictEqual(yield* one.quota.reserve(reservation("r3", 1)), "exceeded")
    assert.strictEqual(yield* one.quota.reserve(reservation("r3", 2)), "reserved")
    assert.deepStrictEqual(yield* one.quota.usage([monthSet]), [1])
  })

  test("leaves no keys of reservations that are counted or released", function* () {
    const server = yield* startRedisServer()
    const { models, quota } = yield* startQuota(server.url)
    for (const id of ["r1", "r2"]) yield* quota.reserve(reservation(id, 9))
    yield* appendCharge("r1")
    yield* count(models)
    yield* quota.release(reservation("r2"))
    const prefix = `sliptrail:{${model}}`
    assert.deepStrictEqual(yield* server.command("KEYS", `${prefix}:open:*`), [])
    assert.strictEqual(yield* server.command("EXISTS", `${prefix}:reserved`), 0)
  })
})

describe("a unit whose holder died", () => {
  test("is granted to the next request", function* () {
    const { url } = yield* startRedisServer()
    const [dying, other] = [yield* startQuota(url, { holdFor: 1 }), yield* startQuota(url)]
    yield* dying.quota.reserve(reservation("r1", 1))
    yield* until(Effect.map(other.quota.reserve(reservation("r2", 1)), (answer) => answer === "reserved"))
    assert.strictEqual(yield* other.quota.reserve(reservation("r3", 1)), "exceeded")
  })

  test("expires under each limit, and is not confirmed when it was granted under one of them", function* () {
    const { url } = yield* startRedisServer()
    const [dying, other] = [yield* startQuota(url, { holdFor: 1 }), yield* startQuota(url)]
    const inNextMonth = (id: string) => reservation(id, 1, "2026-12")
    const inBoth = (id: string) => ({
      ...reservation(id),
      limits: [...reservation(id).limits, ...inNextMonth(id).limits]
    })
    yield* dying.quota.reserve(inBoth("r1"))
    yield* until(Effect.map(other.quota.reserve(inNextMonth("r2")), (answer) => answer === "reserved"))
    assert.strictEqual(yield* reasonOf(dying.quota.confirm(inBoth("r1"))), "held-too-long")
    assert.strictEqual(yield* other.quota.reserve(inBoth("r3")), "exceeded")
    yield* until(Effect.map(other.quota.reserve(reservation("r3")), (answer) => answer === "reserved"))
  })

  test("is not granted while the log may contain its uncounted charge", function* () {
    const server = yield* startRedisServer()
    const { url } = server
    const [dying, other] = [yield* startQuota(url, { holdFor: 1 }), yield* startQuota(url)]
    yield* dying.quota.reserve(reservation("r1", 1))
    yield* appendCharge("r1")
    // Expires by the clock of Redis.
    const expiry = (yield* timeOf(server)) + 1
    yield* until(Effect.map(timeOf(server), (now) => now > expiry))
    assert.deepStrictEqual(yield* whileTimePasses(reasonOf(other.quota.reserve(reservation("r2", 1)))), "not-ready")
    yield* count(other.models)
    assert.strictEqual(yield* whileTimePasses(other.quota.reserve(reservation("r2", 1))), "exceeded")
  })

  test("stays taken when the slow holder has charged it", function* () {
    const { url } = yield* startRedisServer()
    const [slow, other] = [yield* startQuota(url, { holdFor: 1 }), yield* startQuota(url)]
    yield* slow.quota.reserve(reservation("r1", 1))
    yield* appendCharge("r1")
    yield* count(slow.models)
    assert.strictEqual(yield* other.quota.reserve(reservation("r2", 1)), "exceeded")
  })
})

describe("a Redis whose answers are lost", () => {
  test("holds one unit for a repeated request", function* () {
    const server = yield* startRedisServer()
    const proxy = yield* startCuttingProxy(server.port)
    const { quota } = yield* startQuota(`redis://127.0.0.1:${proxy.port}`)
    yield* quota.reserve(reservation("r0", 2))
    yield* proxy.swallowNext
    assert.strictEqual(yield* reasonOf(quota.usage([monthSet])), "unavailable")
    yield* until(Effect.map(Effect.exit(quota.usage([monthSet])), Exit.isSuccess))
    yield* proxy.swallowNext
    assert.strictEqual(yield* reasonOf(quota.reserve(reservation("r1", 2))), "unavailable")
    assert.strictEqual(yield* server.command("ZCARD", openKey), 2, "the request took effect")
    yield* until(Effect.map(reasonOf(quota.reserve(reservation("r1", 2))), (reason) => reason === "reserved"))
    assert.strictEqual(yield* quota.reserve(reservation("r2", 2)), "exceeded")
    yield* quota.release(reservation("r1"))
    assert.strictEqual(yield* quota.reserve(reservation("r2", 2)), "reserved")
  })
})

describe("a log that was restored to an earlier state", () => {
  test("decides the quota by the events of the restored log", function* () {
    const { url } = yield* startRedisServer()
    const { models, quota } = yield* startQuota(url)
    const { position } = yield* appendCharge("r1")
    const lost = { commit: 900n, prepare: 900n }
    yield* models.apply(model, {
      after: yield* models.checkpoint(model),
      upTo: lost,
      writes: []
    })
    assert.strictEqual(yield* quota.reserve(reservation("r2", 2)).pipe(whileTimePasses), "reserved")
    yield* models.clear(model, beginning)
    assert.strictEqual(yield* whileTimePasses(reasonOf(quota.reserve(reservation("r3", 2)))), "not-ready")
    yield* count(models)
    assert.deepStrictEqual(yield* models.checkpoint(model), position)
    assert.strictEqual(yield* whileTimePasses(quota.reserve(reservation("r3", 2))), "exceeded")
  })
})

/** Starts a process that connects and then waits until `go` starts its reservations. */
const startReserving = Effect.fnUntraced(function* (url: string, name: string, requests: number, limit: number) {
  const runtime = "Deno" in globalThis ? ["run", "-A"] : []
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [...runtime, program, url, name, String(requests), String(limit)], {
        stdio: ["pipe", "pipe", "inherit"]
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const nextLine = Effect.promise(() => lines.next()).pipe(Effect.map(({ value }) => String(value)))
  assert.strictEqual(yield* nextLine, "ready")
  return {
    go: Effect.gen(function* () {
      const exited = once(child, "exit")
      child.stdin.write("go\n")
      const reserved = Number(yield* nextLine)
      yield* Effect.promise(() => exited)
      return reserved
    })
  }
})

const program = fileURLToPath(new URL("./reserve-many.ts", import.meta.url))
