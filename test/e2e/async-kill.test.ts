import { assert, describe, it } from "../support/it.ts"
import { Effect, Exit } from "effect"
import { join } from "node:path"
import { jobs as jobAggregate } from "../../domain/events/aggregates.ts"
import { beginning } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { layerEventStoreEmbeddedReadOnly } from "../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { eventsFile } from "../../infrastructure/runtime/data-folder.ts"
import { isSigned, startCallbackReceiver } from "../support/callback-receiver.ts"
import { type Client, newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { spawnService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { runs } from "../support/runs.ts"

const KILLS = runs(5, 50)
const JOBS_PER_KILL = 25
/** One request at a time, because a kill can double every callback in flight. */
const LANES = 1

/** Every way in which a job can end. Retries are so soon that they run in later processes. */
const outcomes = ["found", "found", "found", "not-found", "retry", "found", "nonsense", "found"] as const

const schedules = {
  VERIFY_RETRY_SCHEDULE: "50 millis, 100 millis, 200 millis, 400 millis",
  CALLBACK_RETRY_SCHEDULE: "50 millis, 200 millis, 1 second, 2 seconds, 4 seconds"
}

/** Enqueues slips in a few lanes until `count` were sent or the service is killed. Returns the accepted job ids. */
const enqueueAll = (service: Client, key: string, callbackUrl: string, count: number) =>
  Effect.gen(function* () {
    const accepted: Array<string> = []
    let sent = 0
    const lane = Effect.gen(function* () {
      while (sent < count) {
        const outcome = outcomes[sent++ % outcomes.length] ?? "found"
        const body = { payload: newSlip({ outcome }).payload, callbackUrl }
        const exit = yield* Effect.exit(
          service.call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", { key, body })
        )
        if (Exit.isFailure(exit)) return
        if (exit.value.status === 202) accepted.push(exit.value.data.jobId)
      }
    })
    yield* Effect.all(Array.from({ length: LANES }, () => lane), { concurrency: "unbounded" })
    return accepted
  })

const eventsOf = (dataDir: string) =>
  EventStore.use((store) => store.readAll({ after: beginning, limit: 1_000_000 })).pipe(
    Effect.provide(layerEventStoreEmbeddedReadOnly({ file: eventsFile(dataDir) }))
  )

const timesOf = (streams: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const times = new Map<string, number>()
  for (const stream of streams) times.set(stream, (times.get(stream) ?? 0) + 1)
  return times
}

describe("jobs and callbacks under kill -9", () => {
  it.live("end exactly once each, with no more doubled callbacks than kills", function* () {
    const dataDir = join(yield* temporaryFolder, "data")
    // Every fifth callback is answered with a 500 the first time.
    const receiver = yield* startCallbackReceiver((jobId, earlier) =>
      earlier === 0 && /[048c]$/u.test(jobId) ? 500 : 200
    )
    const env = { ...receiver.env, ...schedules, LOG_LEVEL: "warn" }
    const accepted: Array<string> = []
    let key = ""
    let secret = ""
    for (let kill = 0; kill < KILLS; kill++) {
      const service = yield* spawnService(dataDir, env)
      if (kill === 0) {
        const { mainBranch } = yield* service.createService({ quota: 100_000 })
        key = mainBranch.apiKey
        secret = mainBranch.webhookSecret
      }
      // Kills the service while it accepts, verifies and reports jobs.
      const [acceptedBeforeKill] = yield* Effect.all([
        enqueueAll(service, key, receiver.url, JOBS_PER_KILL),
        Effect.andThen(Effect.sleep(50 + (kill * 137) % 500), service.stop("SIGKILL"))
      ], { concurrency: "unbounded" })
      accepted.push(...acceptedBeforeKill)
    }

    const service = yield* spawnService(dataDir, env)
    while (accepted.length < KILLS * JOBS_PER_KILL) {
      accepted.push(...yield* enqueueAll(service, key, receiver.url, KILLS * JOBS_PER_KILL - accepted.length))
    }
    const workInProgress = Effect.map(
      service.call("GET", "/metrics"),
      ({ text }) =>
        [...text.matchAll(/^sliptrail_worker_(?:open|in_flight)\{.*?\} (\d+)$/gmu)].map(([, count]) => Number(count))
    )
    const lastJobs = Effect.forEach(
      accepted.slice(-20),
      (jobId) =>
        service.call<{ readonly callback: { readonly state: string } }>("GET", `/v2/verify/bank/jobs/${jobId}`, {
          key
        })
    )
    yield* eventually(lastJobs, (answers) => answers.every(({ data }) => data.callback.state === "delivered"))
    yield* eventually(workInProgress, (counts) => counts.length > 0 && counts.every((count) => count === 0))
    assert.strictEqual(yield* service.stop("SIGTERM"), 0)

    const events = yield* eventsOf(dataDir)
    const enqueued = events.filter(({ type }) => type === "VerificationEnqueued").map(({ stream }) => stream)
    const ended = timesOf(
      events.filter(({ type }) => type === "JobSucceeded" || type === "JobNotFound").map(({ stream }) => stream)
    )
    for (const stream of enqueued) assert.strictEqual(ended.get(stream), 1, `${stream} ended once`)
    for (const jobId of accepted) assert.strictEqual(ended.get(`job-${jobId}`), 1, `${jobId} was accepted`)
    const callbackEnds = timesOf(
      events.filter(({ type }) => /^Callback(?:Delivered|Rejected|Abandoned)$/u.test(type)).map(({ stream }) => stream)
    )
    for (const stream of enqueued) {
      assert.strictEqual(
        callbackEnds.get(stream.replace(/^job-/u, "callback-")),
        1,
        `the callback of ${stream} ended once`
      )
    }
    const firsts = events.filter(({ type }) => type === "SlipVerified").map(({ stream }) => stream)
    assert.strictEqual(new Set(firsts).size, firsts.length, "each slip was first once")

    const bodies = new Map<string, string>()
    for (const arrival of receiver.arrivals) {
      assert.strictEqual(bodies.get(arrival.jobId) ?? arrival.body, arrival.body, "byte for byte the same")
      bodies.set(arrival.jobId, arrival.body)
      assert.isTrue(yield* Effect.promise(() => isSigned(arrival, secret)))
    }
    for (const event of events.filter(({ type }) => type === "JobSucceeded")) {
      const job = jobAggregate.codec.decode(event)
      if (job._tag === "JobSucceeded") assert.include(bodies.get(job.jobId), `"status":"success"`)
    }
    const received = timesOf(receiver.arrivals.filter(({ status }) => status === 200).map(({ jobId }) => jobId))
    const doubles = [...received.values()].reduce((sum, times) => sum + times - 1, 0)
    assert.isAtMost(doubles, KILLS, "no more doubles than kills")
    assert.strictEqual(received.size, enqueued.length, "every job's callback was received")
  })
})
