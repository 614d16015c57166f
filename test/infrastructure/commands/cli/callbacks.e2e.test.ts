import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { userInfo } from "node:os"
import { streamOf } from "../../../../domain/events/aggregates.ts"
import { EventStore } from "../../../../ports/event-store.ts"
import { slipTime } from "../../../../domain/time.ts"
import { layerEventStoreEmbeddedReadOnly } from "../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { eventsFile, holdDataFolder } from "../../../../infrastructure/runtime/data-folder.ts"
import { eventuallyHolds } from "../../../support/eventually.ts"
import { layerRunningService } from "../../../support/service.ts"
import { givenEndedJobs } from "./given-jobs.ts"
import { run, runJson } from "../../../support/in-process.ts"

const UNKNOWN = "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d"

const lastEvent = (dataDir: string, jobId: string) =>
  EventStore.use((store) => store.readStream(streamOf.callback(jobId))).pipe(
    Effect.provide(layerEventStoreEmbeddedReadOnly({ file: eventsFile(dataDir) })),
    Effect.map((events) => events.at(-1))
  )

describe("sliptrail callbacks", () => {
  it.live("lists abandoned callbacks with their failures, and no secret", function* () {
    const { abandoned, branchId, env, host, secrets } = yield* givenEndedJobs
    const dead = yield* runJson(["callbacks", "dead"], env)
    assert.lengthOf(dead, 1)
    assert.deepInclude(dead[0], {
      jobId: abandoned,
      branchId,
      host,
      state: "abandoned",
      attempts: 2,
      lastStatus: 503
    })
    const { code, stdout } = yield* run(["callbacks", "dead"], env)
    assert.strictEqual(code, 0)
    assert.match(stdout, /the receiver answered 503$/u)
    for (const secret of secrets) assert.notInclude(JSON.stringify(dead) + stdout, secret)

    yield* holdDataFolder(env.DATA_DIR)
    assert.deepStrictEqual(yield* runJson(["callbacks", "dead"], env), dead)
  })

  it.live("makes the callbacks of a host due again, which a running service sends", function* () {
    const { abandoned, delivered, env, host, receiver, rejected } = yield* givenEndedJobs
    const before = receiver.arrivals.length
    assert.deepStrictEqual(yield* runJson(["callbacks", "redeliver", "--host", host], env), { redelivered: 2 })
    assert.strictEqual(receiver.arrivals.length, before)
    const last = yield* lastEvent(env.DATA_DIR, rejected)
    assert.strictEqual(last?.type, "CallbackRedeliveryRequested")
    assert.deepStrictEqual(last?.metadata.actor, {
      kind: "admin",
      id: "cli",
      operator: `os:${userInfo().username}`
    })
    assert.deepInclude(yield* run(["callbacks", "dead", "--json"], env), { code: 0, stdout: "[]" })

    receiver.answers(200)
    yield* Effect.provide(
      eventuallyHolds(Effect.sync(() => receiver.arrivals.length === before + 2)),
      layerRunningService(env)
    )
    const again = receiver.arrivals.slice(before)
    assert.deepStrictEqual(again.map(({ jobId }) => jobId).sort(), [abandoned, rejected].sort())
    for (const { body, jobId } of again) {
      assert.strictEqual(body, receiver.arrivals.find((arrival) => arrival.jobId === jobId)?.body)
    }
    assert.strictEqual((yield* lastEvent(env.DATA_DIR, delivered))?.type, "CallbackDelivered")
  })

  it.live("makes the callbacks of a job or of a period due again", function* () {
    const { delivered, env } = yield* givenEndedJobs
    const ofJob = yield* run(["callbacks", "redeliver", "--job", delivered.toUpperCase()], env)
    assert.deepInclude(ofJob, { code: 0, stderr: "" })
    assert.match(ofJob.stdout, /^1 callback is due again/u)
    assert.strictEqual((yield* lastEvent(env.DATA_DIR, delivered))?.type, "CallbackRedeliveryRequested")

    const ago = slipTime(Date.now() - 3_600_000).slice(0, 16).replace("T", " ")
    const today = slipTime(Date.now()).slice(0, 10)
    const between = ["callbacks", "redeliver", "--from", ago, "--to", today]
    assert.deepStrictEqual(yield* runJson(between, env), { redelivered: 2 })
    const none = yield* run(["callbacks", "redeliver", "--from", "2000-01-01", "--to", "2099-01-01T00:00:00Z"], env)
    assert.deepInclude(none, { code: 1, stdout: "" })
    assert.match(none.stderr, /^sliptrail: there are no rejected or abandoned callbacks to send again[^\n]*$/u)
  })

  it.live("exits with 1 when there is no callback to send", function* () {
    const { env, unknown } = yield* givenEndedJobs
    const failures = [
      [["--job", UNKNOWN], "the job does not exist"],
      [["--job", unknown], "the job has no callbackUrl"],
      [["--host", "unknown.example"], "there are no rejected or abandoned callbacks to send again"]
    ] as const
    for (const [flags, message] of failures) {
      const { code, stderr, stdout } = yield* run(["callbacks", "redeliver", ...flags], env)
      assert.deepStrictEqual({ flags, code, stdout }, { flags, code: 1, stdout: "" })
      assert.include(stderr, message)
    }
  })

  it.live("refuses invalid use, and changes while a service has the folder open", function* () {
    const { abandoned, env } = yield* givenEndedJobs
    const wrong = [
      [[], "exactly one of --job"],
      [["--job", UNKNOWN, "--host", "a.example"], "exactly one of --job"],
      [["--host", "a.example", "--to", "2026-01-01"], "exactly one of --job"],
      [["--from", "2026-01-01"], "--to:"],
      [["--to", "2026-01-01"], "--from:"],
      [["--from", "2026-01-02", "--to", "2026-01-01"], "--to:"],
      [["--from", "yesterday", "--to", "2026-01-01"], "--from:"],
      [["--job", "x"], "--job:"],
      [["--host", "https://a.example/"], "--host:"]
    ] as const
    for (const [flags, message] of wrong) {
      const { code, stderr, stdout } = yield* run(["callbacks", "redeliver", ...flags], env)
      assert.deepStrictEqual({ flags, code, stdout }, { flags, code: 2, stdout: "" })
      assert.match(stderr, /^sliptrail: [^\n]+$/u)
      assert.include(stderr, message)
    }
    yield* holdDataFolder(env.DATA_DIR)
    const refused = yield* run(["callbacks", "redeliver", "--job", abandoned], env)
    assert.strictEqual(refused.code, 2)
    assert.match(refused.stderr, /in use by a running SlipTrail: .* POST \/admin\/v1\/callbacks\/redeliver$/u)
    assert.strictEqual((yield* lastEvent(env.DATA_DIR, abandoned))?.type, "CallbackAbandoned")
  })
})
