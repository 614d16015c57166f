import { Clock, Effect, Fiber } from "effect"
import { testAuthority } from "../../test/support/tls.ts"
import { temporaryFolder } from "../../test/support/temporary-folder.ts"
import { BenchError, checkedFinding, type Figure, infoFinding } from "../figure.ts"
import { payloadOf } from "../http/rendered.ts"
import { type Program, startProgram } from "../measure/program.ts"
import { BENCH_ADMIN_TOKEN, startService } from "../measure/service.ts"
import { quantile } from "../measure/statistics.ts"
import { bareCallbacks } from "./bare.ts"
import type { Arrivals, ArrivalsRequest } from "./messages.ts"

const BATCH = 100
const BACKLOG = 4_000
const SINGLES = 400
const PAUSE_MILLIS = 20
const TAR_PITS = 100
const JOBS_PER_TAR_PIT = 10
const TIMEOUT_MILLIS = 60_000

/** Measures from the enqueueing of slips to the receipt of their callbacks over TLS, on the embedded stores. */
export const callbacks: Figure = {
  name: "callbacks",
  about: "Enqueued slips, verified and reported by callbacks over TLS; without and with hosts that never answer",
  run: Effect.fnUntraced(function* (options) {
    const receiver = yield* startProgram({ script: new URL("./receiver-process.ts", import.meta.url) })
    const [, receiverPort = "", tarPit = ""] = yield* receiver.waitForOutput(/ports (\d+) (\d+)/u)
    const tarPits = Array.from({ length: TAR_PITS }, (_, index) => `t${index}.example.test`)
    const { apiKey, port } = yield* startService({
      dataDir: yield* temporaryFolder,
      profile: options.profile,
      env: {
        EGRESS_CA_FILE: testAuthority.file,
        EGRESS_HOSTS: ["receiver.test", ...tarPits].map((name) => `${name}=127.0.0.1`).join(","),
        EGRESS_ALLOW_CIDRS: "127.0.0.0/8"
      }
    })
    const client = makeClient(port, apiKey)
    const url = `https://receiver.test:${receiverPort}/`

    yield* arrivalsOf(receiver, yield* client.enqueueBatch(url, BATCH))
    // The receiver answers 410, so each callback fails once and is not retried. All can then be redelivered together.
    yield* receiver.request<Arrivals>({ kind: "arrivals", status: 410 } satisfies ArrivalsRequest)
    const batches = yield* timed(
      Effect.forEach(Array.from({ length: BACKLOG / BATCH }), () => client.enqueueBatch(url, BATCH))
    )
    const backlog = yield* arrivalsOf(receiver, batches.value.flat())
    const arrived = backlog.map(({ at }) => at)
    const endToEnd = BACKLOG / (quantile(arrived, 1) - batches.from) * 1_000
    yield* receiver.request<Arrivals>({ kind: "arrivals", status: 200 } satisfies ArrivalsRequest)
    // Waits until the last outcomes are in the log and in the read model.
    yield* Effect.sleep("2 seconds")
    const redelivery = yield* Effect.forkScoped(timed(client.redeliver(`receiver.test:${receiverPort}`)))
    const redelivered = (yield* arrivalsOf(receiver, batches.value.flat())).map(({ at }) => at)
    const { from, millis } = yield* Fiber.join(redelivery)
    // Callbacks that arrive during the redelivery request compete with it, so only the later ones count.
    const redeliveryEnd = from + millis
    const left = redelivered.filter((at) => at > redeliveryEnd)
    const perSecond = left.length / (quantile(left, 1) - redeliveryEnd) * 1_000
    const bare = yield* bareCallbacks(Number(receiverPort))
    yield* receiver.request<Arrivals>({ kind: "arrivals" } satisfies ArrivalsRequest)

    const withoutTarPits = yield* latencies(receiver, client, url)
    yield* Effect.forEach(tarPits, (name) => client.enqueueBatch(`https://${name}:${tarPit}/`, JOBS_PER_TAR_PIT))
    const withTarPits = yield* latencies(receiver, client, url)
    const show = (times: ReadonlyArray<number>) =>
      `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`
    return [
      checkedFinding(
        {
          what: `${left.length.toLocaleString("en-US")} due callbacks`,
          measured: `× ${(perSecond / bare).toFixed(2)} of bare node:https`,
          baseline: `${Math.round(bare)}/s bare node:https, 8 at a time`
        },
        perSecond,
        { atLeast: 500 },
        "/s"
      ),
      infoFinding(
        { what: "slips enqueued, verified and delivered together", measured: "everything on this machine" },
        endToEnd,
        "/s"
      ),
      infoFinding(
        {
          what: `slips enqueued in batches of ${BATCH}, one after the other`,
          measured: `${(batches.millis / (BACKLOG / BATCH)).toFixed(1)} ms per batch`
        },
        BACKLOG / batches.millis * 1_000,
        "/s"
      ),
      infoFinding({ what: "enqueue to receipt, without tar pits", measured: show(withoutTarPits) }),
      checkedFinding(
        {
          what: `enqueue to receipt, with ${TAR_PITS} tar-pit hosts (p99)`,
          measured: show(withTarPits),
          baseline: `${show(withoutTarPits)} without`
        },
        quantile(withTarPits, 0.99) / quantile(withoutTarPits, 0.99),
        { atMost: 2 }
      )
    ]
  })
}

interface Enqueued {
  readonly jobId: string
  /** When it was enqueued, or its callback arrived, in milliseconds since 1970. */
  readonly at: number
}

let slips = 1_000_000_000

const makeClient = (port: number, apiKey: string) => {
  const post = (path: string, body: () => object, token = apiKey) =>
    Effect.tryPromise({
      try: async () => {
        const at = performance.timeOrigin + performance.now()
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify(body())
        })
        const answer = await response.json() as { readonly data?: unknown }
        if (!response.ok) throw new Error(JSON.stringify(answer))
        return { at, data: answer.data }
      },
      catch: (cause) => new BenchError({ message: `a slip was not accepted: ${String(cause)}` })
    })
  return {
    redeliver: (host: string) => post("/admin/v1/callbacks/redeliver", () => ({ host }), BENCH_ADMIN_TOKEN),
    enqueueOne: (callbackUrl: string) =>
      Effect.map(
        post("/v2/verify/bank/async", () => ({ payload: payloadOf(slips++), callbackUrl })),
        ({ at, data }): Enqueued => ({ at, jobId: (data as { readonly jobId: string }).jobId })
      ),
    enqueueBatch: (callbackUrl: string, size: number) =>
      Effect.map(
        post("/v2/verify/bank/batch", () => ({
          slips: Array.from({ length: size }, () => ({ payload: payloadOf(slips++) })),
          callbackUrl
        })),
        ({ at, data }) =>
          (data as { readonly jobs: ReadonlyArray<{ readonly jobId: string }> }).jobs.map(({ jobId }): Enqueued => ({
            at,
            jobId
          }))
      )
  }
}

/** Waits until the callback of every enqueued slip has arrived. */
const arrivalsOf = Effect.fnUntraced(function* (receiver: Program, enqueued: ReadonlyArray<Enqueued>) {
  const missing = new Map(enqueued.map((slip) => [slip.jobId, slip]))
  const arrived: Array<Enqueued> = []
  const deadline = (yield* Clock.currentTimeMillis) + TIMEOUT_MILLIS
  while (missing.size > 0) {
    const { arrivals } = yield* receiver.request<Arrivals>({ kind: "arrivals" } satisfies ArrivalsRequest)
    for (const [jobId, at] of arrivals) if (missing.delete(jobId)) arrived.push({ jobId, at })
    if ((yield* Clock.currentTimeMillis) > deadline) {
      return yield* new BenchError({
        message: `${missing.size} of ${enqueued.length} callbacks did not arrive in a minute`
      })
    }
    yield* Effect.sleep("20 millis")
  }
  return arrived
})

/** Enqueues slips one after the other. Returns the milliseconds from each request to the receipt of its callback. */
const latencies = Effect.fnUntraced(function* (receiver: Program, client: ReturnType<typeof makeClient>, url: string) {
  const enqueued: Array<Enqueued> = []
  for (let count = 0; count < SINGLES; count++) {
    enqueued.push(yield* client.enqueueOne(url))
    yield* Effect.sleep(PAUSE_MILLIS)
  }
  const enqueuedAt = new Map(enqueued.map(({ at, jobId }) => [jobId, at]))
  const arrived = yield* arrivalsOf(receiver, enqueued)
  return arrived.map(({ at, jobId }) => at - (enqueuedAt.get(jobId) ?? Number.NaN))
})

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const from = performance.timeOrigin + performance.now()
    return Effect.map(effect, (value) => ({ value, from, millis: performance.timeOrigin + performance.now() - from }))
  })
