import { assert, describe, it, layer } from "../support/it.ts"
import { Effect } from "effect"
import { once } from "node:events"
import net from "node:net"
import { join } from "node:path"
import { defaultTotal } from "../../infrastructure/web/http/server/connection-limits.ts"
import { newSlip } from "../support/client.ts"
import { eventuallyHolds } from "../support/eventually.ts"
import { layerRunningService, RunningService, spawnService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

/** Opens connections from an address and sends nothing. They end with the scope. */
const openIdle = (baseUrl: string, count: number, localAddress: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { hostname, port } = new URL(baseUrl)
      const sockets: Array<net.Socket> = []
      for (let n = 0; n < count; n++) {
        const socket = net.connect({ host: hostname, port: Number(port), localAddress })
        socket.on("error", () => {})
        // The server may close the connection as soon as it is open.
        await Promise.race([once(socket, "connect"), once(socket, "close")])
        sockets.push(socket)
      }
      return sockets
    }),
    (sockets) => Effect.sync(() => sockets.forEach((socket) => socket.destroy()))
  )

const openCount = (sockets: ReadonlyArray<net.Socket>): number => sockets.filter(({ closed }) => !closed).length

const verifies = Effect.gen(function* () {
  const { createService, verify } = yield* RunningService
  const { mainBranch } = yield* createService()
  const answer = yield* verify(mainBranch.apiKey, newSlip().payload)
  assert.strictEqual(answer.status, 200, answer.text)
})

/** The connections that the limits closed for a reason, in the text of `/metrics`. */
const closedFor = Effect.fnUntraced(function* (reason: string) {
  const { text } = yield* (yield* RunningService).call("GET", "/metrics")
  const series = new RegExp(`^sliptrail_http_connections_closed_total\\{[^}]*reason="${reason}"[^}]*\\} (\\d+)`, "mu")
  return Number(series.exec(text)?.[1])
})

layer.live(layerRunningService({ MAX_CONNECTIONS: "200", MAX_CONNECTIONS_PER_ADDRESS: "100" }))(
  "idle connections",
  (it) => {
    it.effect("of one address are limited, and leave the other callers alone", function* () {
      const { baseUrl } = yield* RunningService
      const sockets = yield* openIdle(baseUrl, 2_000, "127.0.0.2")
      yield* eventuallyHolds(Effect.sync(() => openCount(sockets) === 100))
      yield* verifies
      assert.strictEqual(openCount(sockets), 100)
      assert.isAtLeast(yield* closedFor("address"), 1_900)
    })

    it.effect("of many addresses make space for new connections", function* () {
      const { baseUrl } = yield* RunningService
      const all: Array<net.Socket> = []
      for (let n = 10; n < 40; n++) {
        all.push(...yield* openIdle(baseUrl, 100, `127.0.0.${n}`))
        yield* verifies
      }
      yield* eventuallyHolds(Effect.sync(() => openCount(all) <= 200))
      yield* verifies
      assert.isAtLeast(yield* closedFor("evicted"), 2_800)
    })
  }
)

/** Opens connections and begins a request on each, whose body never ends. */
const openEndless = Effect.fnUntraced(function* (baseUrl: string, count: number, localAddress: string) {
  const sockets = yield* openIdle(baseUrl, count, localAddress)
  const head = "POST /v2/verify/bank HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n"
  for (const socket of sockets) if (!socket.closed) socket.write(head)
  return sockets
})

layer.live(layerRunningService({ MAX_CONNECTIONS: "100", MAX_CONNECTIONS_PER_ADDRESS: "1000" }))(
  "requests whose bodies never end",
  (it) => {
    it.effect("of one address take half of the connections at most", function* () {
      const { baseUrl } = yield* RunningService
      const sockets = yield* openEndless(baseUrl, 200, "127.0.0.50")
      yield* eventuallyHolds(Effect.sync(() => openCount(sockets) <= 50))
      yield* verifies
    })

    it.effect("of many addresses make space for new connections", function* () {
      const { baseUrl } = yield* RunningService
      for (let n = 60; n < 70; n++) {
        yield* openEndless(baseUrl, 40, `127.0.0.${n}`)
        yield* verifies
      }
      assert.isAtLeast(yield* closedFor("evicted"), 200)
    })
  }
)

layer.live(layerRunningService({ MAX_CONNECTIONS_PER_ADDRESS: "5", TRUSTED_PROXIES: "127.0.0.3" }))(
  "a trusted proxy",
  (it) => {
    it.effect("may open more connections than one address", function* () {
      const { baseUrl } = yield* RunningService
      const ofProxy = yield* openIdle(baseUrl, 50, "127.0.0.3")
      const ofCaller = yield* openIdle(baseUrl, 50, "127.0.0.4")
      yield* eventuallyHolds(Effect.sync(() => openCount(ofCaller) === 5))
      assert.strictEqual(openCount(ofProxy), 50)
      yield* verifies
    })
  }
)

describe("the default limit of connections", () => {
  it.live("keeps a service with few descriptors ready under more idle connections than it can have", function* () {
    const dataDir = join(yield* temporaryFolder, "data")
    const { baseUrl, call, createService, verify } = yield* spawnService(dataDir, {}, { maxFiles: 256 })
    const { mainBranch } = yield* createService()
    // The client keeps its own connection, which the service may close as the oldest idle one.
    const again = <A, E, R>(request: Effect.Effect<A, E, R>) => Effect.retry(Effect.sandbox(request), { times: 3 })
    const verifyNew = again(Effect.suspend(() => verify(mainBranch.apiKey, newSlip().payload)))
    const sockets: Array<net.Socket> = []
    for (const address of ["127.0.0.2", "127.0.0.3", "127.0.0.4"]) {
      sockets.push(...yield* openIdle(baseUrl, 200, address))
      assert.strictEqual((yield* verifyNew).status, 200)
    }
    yield* eventuallyHolds(Effect.sync(() => openCount(sockets) <= 128))
    assert.strictEqual((yield* verifyNew).status, 200)
    assert.strictEqual((yield* again(call("GET", "/health/ready"))).status, 200)
  })

  it("leaves descriptors for the stores", () => {
    assert.deepStrictEqual([256, 1_024, 4_096, 1_048_576, undefined].map(defaultTotal), [
      128,
      512,
      3_584,
      10_000,
      1_000
    ])
  })
})
