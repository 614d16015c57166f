import { assert, describe, it } from "../support/it.ts"
import { Cause, Effect, Exit, Fiber } from "effect"
import { once } from "node:events"
import http from "node:http"
import { join } from "node:path"
import { beginning } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import type { info } from "../../application/provisioning/info.ts"
import { layerEventStoreEmbeddedReadOnly } from "../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { eventsFile } from "../../infrastructure/runtime/data-folder.ts"
import { type Client, newSlip, type Verified } from "../support/client.ts"
import { spawnService, unexpectedLogLines } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

type Info = Effect.Success<ReturnType<typeof info>>

const QUOTA = 150
const LANES = 12
const KILLS = 4

interface Answered {
  readonly payload: string
  readonly status: number
  readonly verified: Verified | undefined
}

/** Verifies slips in several lanes until all are answered or the service is gone. Returns the answers. */
const verifyAll = (
  service: Client,
  key: string,
  payloads: Iterable<string>,
  onAnswer: (answers: number) => Effect.Effect<void> = () => Effect.void
) =>
  Effect.gen(function* () {
    const answered: Array<Answered> = []
    const remaining = payloads[Symbol.iterator]()
    const lane = Effect.gen(function* () {
      for (let next = remaining.next(); next.done !== true; next = remaining.next()) {
        const payload = next.value
        // After the kill the connection breaks or is refused.
        const exit = yield* Effect.exit(service.verify(key, payload))
        if (Exit.isFailure(exit)) return
        answered.push({ payload, status: exit.value.status, verified: exit.value.data })
        yield* onAnswer(answered.length)
      }
    })
    yield* Effect.all(Array.from({ length: LANES }, () => lane), { concurrency: "unbounded" })
    return answered
  })

/** The events of slips. The service must have stopped. */
const slipEvents = (dataDir: string) =>
  EventStore.use((store) => store.readAll({ after: beginning, limit: 1_000_000 })).pipe(
    Effect.map((events) => events.filter(({ stream }) => stream.startsWith("slip-"))),
    Effect.provide(layerEventStoreEmbeddedReadOnly({ file: eventsFile(dataDir) }))
  )

describe("the service under kill -9", () => {
  it.live("loses no answered verification, charges none twice and admits exactly the quota", function* () {
    const dataDir = join(yield* temporaryFolder, "data")
    const slips = Array.from({ length: 2 * QUOTA }, () => newSlip().payload)
    const verified = new Map<string, string>()
    let key = ""
    for (let kill = 0; kill < KILLS; kill++) {
      const service = yield* spawnService(dataDir)
      if (kill === 0) key = (yield* service.createService({ quota: QUOTA })).mainBranch.apiKey

      const repeated = yield* verifyAll(service, key, verified.keys())
      assert.lengthOf(repeated, verified.size)
      for (const verification of repeated) {
        assert.isTrue(verification.verified?.isDuplicate, `after kill ${kill}: ${verification.payload} is repeated`)
      }

      // Kills after a number of answers, while the other lanes have requests in flight.
      const answersBeforeKill = 5 + (kill * 13) % 20
      const remaining = slips.filter((slip) => !verified.has(slip))
      const beforeKill = yield* verifyAll(
        service,
        key,
        remaining,
        (answers) => answers === answersBeforeKill ? Effect.asVoid(service.stop("SIGKILL")) : Effect.void
      )
      assert.isAtLeast(beforeKill.length, answersBeforeKill)
      for (const verification of beforeKill) {
        assert.strictEqual(verification.status, 200)
        verified.set(verification.payload, verification.verified?.verificationId ?? "")
      }
    }

    const service = yield* spawnService(dataDir)
    const last = yield* verifyAll(service, key, slips)
    assert.lengthOf(last, slips.length)
    for (const verification of last) {
      if (verification.status === 200 && !verified.has(verification.payload)) {
        verified.set(
          verification.payload,
          verification.verified?.verificationId ?? ""
        )
      }
    }
    const refused = last.filter(({ status }) => status !== 200)
    assert.deepStrictEqual(new Set(refused.map(({ status }) => status)), new Set([403]))
    assert.strictEqual(verified.size, QUOTA, "exactly the quota was admitted")
    assert.strictEqual(yield* service.stop("SIGTERM"), 0)

    const events = yield* slipEvents(dataDir)
    const ids = new Set(events.map(({ data }) => data["verificationId"]))
    for (const id of verified.values()) assert.isTrue(ids.has(id), "every answered verification is in the log")
    const firsts = events.filter(({ type }) => type === "SlipVerified").map(({ stream }) => stream)
    assert.strictEqual(new Set(firsts).size, firsts.length, "each slip was first once")
    assert.lengthOf(events.filter(({ data }) => data["charged"]), QUOTA)

    const again = yield* spawnService(dataDir)
    const { data } = yield* again.call<Info>("GET", "/v2/info", { key })
    assert.deepStrictEqual(data.branch.quota, { used: QUOTA, max: QUOTA, remaining: 0, totalUsed: QUOTA })
    assert.strictEqual(yield* again.stop("SIGTERM"), 0)
  })
})

describe("the service after SIGTERM", () => {
  it.live("answers requests in flight, accepts no new ones and exits with 0", function* () {
    const service = yield* spawnService(join(yield* temporaryFolder, "data"))
    const { mainBranch } = yield* service.createService()
    const request = http.request(`${service.baseUrl}/v2/verify/bank`, {
      method: "POST",
      headers: {
        "authorization": `Bearer ${mainBranch.apiKey}`,
        "content-type": "application/json",
        "expect": "100-continue"
      }
    })
    request.flushHeaders()
    // "100 Continue" shows that the service has started the request.
    yield* Effect.promise(() => once(request, "continue"))
    const answered = once(request, "response")
    request.end(JSON.stringify({ payload: newSlip({ outcome: "slow" }).payload }))
    yield* Effect.promise(() => once(request, "finish"))

    const stopping = yield* Effect.forkChild(service.stop("SIGTERM"), { startImmediately: true })
    const [response] = yield* Effect.promise(() => answered)

    assert.isTrue(response instanceof http.IncomingMessage && response.statusCode === 200)
    request.destroy()
    assert.strictEqual(yield* Fiber.join(stopping), 0)
    assert.isTrue(Exit.isFailure(yield* Effect.exit(service.call("GET", "/v2/health"))))
    assert.deepStrictEqual(unexpectedLogLines(service), [])
    assert.notInclude(service.output().stdout, `"level"`, "logs go to standard error only")
  })

  it.live("releases its data folder, which no other process can open before", function* () {
    const dataDir = join(yield* temporaryFolder, "data")
    const first = yield* spawnService(dataDir)
    const second = yield* Effect.exit(spawnService(dataDir))
    assert.include(Exit.isFailure(second) ? Cause.pretty(second.cause) : "started", "in use by a running SlipTrail")

    assert.strictEqual(yield* first.stop("SIGTERM"), 0)
    const third = yield* spawnService(dataDir)
    assert.strictEqual((yield* third.call("GET", "/health/ready")).status, 200)
  })
})
