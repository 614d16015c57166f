import { Clock, Effect, Fiber } from "effect"
import { testAuthority } from "../../support/tls.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { BenchError, type Figure, judged, told } from "../figure.ts"
import { payloadOf } from "../http/rendered.ts"
import { type Program, startProgram } from "../measure/program.ts"
import { startService } from "../measure/service.ts"
import { quantile } from "../measure/statistics.ts"
import { bareCallbacks } from "./bare.ts"
import type { Arrivals, ArrivalsRequest } from "./messages.ts"

const BATCH = 100
const BACKLOG = 4_000
const SINGLES = 400
const PAUSE_MILLIS = 20
const TAR_PITS = 100
const JOBS_A_TAR_PIT = 10
const PATIENCE_MILLIS = 60_000
const ADMIN_TOKEN = "the-admin-token-of-the-bench"

/** From the acceptance of slips to their callbacks at a receiver over TLS, on the embedded stores. */
export const callbacks: Figure = {
  name: "callbacks",
  about: "Enqueued slips verified and told of over TLS, alone and beside hosts that take everything and never answer",
  run: Effect.fnUntraced(function* (options) {
    const receiver = yield* startProgram({ script: new URL("./receiver-process.ts", import.meta.url) })
    const [, good = "", tarPit = ""] = yield* receiver.said(/ports (\d+) (\d+)/u)
    const tarPits = Array.from({ length: TAR_PITS }, (_, index) => `t${index}.example.test`)
    const { apiKey, port } = yield* startService({
      dataDir: yield* temporaryFolder,
      profile: options.profile,
      env: {
        ADMIN_TOKEN,
        EGRESS_CA_FILE: testAuthority.file,
        EGRESS_HOSTS: ["receiver.test", ...tarPits].map((name) => `${name}=127.0.0.1`).join(","),
        EGRESS_ALLOW_CIDRS: "127.0.0.0/8"
      }
    })
    const hand = makeHand(port, apiKey)
    const url = `https://receiver.test:${good}/`

    yield* arrivalsOf(receiver, yield* hand.batch(url, BATCH))
    // Refused for good the first time, so that all of them can be sent again, with nothing else to do beside.
    yield* receiver.ask<Arrivals>({ ask: "arrivals", status: 410 } satisfies ArrivalsRequest)
    const batches = yield* timed(Effect.forEach(Array.from({ length: BACKLOG / BATCH }), () => hand.batch(url, BATCH)))
    const backlog = yield* arrivalsOf(receiver, batches.value.flat())
    const arrived = backlog.map(({ at }) => at)
    const endToEnd = BACKLOG / (quantile(arrived, 1) - batches.from) * 1_000
    yield* receiver.ask<Arrivals>({ ask: "arrivals", status: 200 } satisfies ArrivalsRequest)
    // Their last outcomes are written down, and in the read model.
    yield* Effect.sleep("2 seconds")
    const asking = yield* Effect.forkScoped(timed(hand.sendAgain(`receiver.test:${good}`)))
    const again = (yield* arrivalsOf(receiver, batches.value.flat())).map(({ at }) => at)
    const { from, millis } = yield* Fiber.join(asking)
    // While it is asked for each of them, that work is done beside.
    const allAskedAt = from + millis
    const left = again.filter((at) => at > allAskedAt)
    const perSecond = left.length / (quantile(left, 1) - allAskedAt) * 1_000
    const bare = yield* bareCallbacks(Number(good))
    yield* receiver.ask<Arrivals>({ ask: "arrivals" } satisfies ArrivalsRequest)

    const alone = yield* latencies(receiver, hand, url)
    yield* Effect.forEach(tarPits, (name) => hand.batch(`https://${name}:${tarPit}/`, JOBS_A_TAR_PIT))
    const beside = yield* latencies(receiver, hand, url)
    const show = (times: ReadonlyArray<number>) =>
      `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`
    return [
      judged(
        {
          what: `callbacks, ${left.length.toLocaleString("en-US")} that are due`,
          measured: `× ${(perSecond / bare).toFixed(2)} of bare node:https`,
          baseline: `${Math.round(bare)}/s bare node:https, 8 at a time`
        },
        perSecond,
        { atLeast: 500 },
        "/s"
      ),
      told(
        { what: "slips enqueued, verified and told of, all at once", measured: "everything on this machine" },
        endToEnd,
        "/s"
      ),
      told(
        {
          what: `slips enqueued in batches of ${BATCH}, one batch after the other`,
          measured: `${(batches.millis / (BACKLOG / BATCH)).toFixed(1)} ms a batch`
        },
        BACKLOG / batches.millis * 1_000,
        "/s"
      ),
      told({ what: "enqueue to receipt, alone", measured: show(alone) }),
      judged(
        {
          what: `the same beside ${TAR_PITS} tar-pit hosts (p99)`,
          measured: show(beside),
          baseline: `${show(alone)} alone`
        },
        quantile(beside, 0.99) / quantile(alone, 0.99),
        { atMost: 2 }
      )
    ]
  })
}

interface Handed {
  readonly jobId: string
  /** When it was handed over, in milliseconds since 1970. */
  readonly at: number
}

let slips = 1_000_000_000

const makeHand = (port: number, apiKey: string) => {
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
    sendAgain: (host: string) => post("/admin/v1/callbacks/redeliver", () => ({ host }), ADMIN_TOKEN),
    one: (callbackUrl: string) =>
      Effect.map(
        post("/v2/verify/bank/async", () => ({ payload: payloadOf(slips++), callbackUrl })),
        ({ at, data }): Handed => ({ at, jobId: (data as { readonly jobId: string }).jobId })
      ),
    batch: (callbackUrl: string, size: number) =>
      Effect.map(
        post("/v2/verify/bank/batch", () => ({
          slips: Array.from({ length: size }, () => ({ payload: payloadOf(slips++) })),
          callbackUrl
        })),
        ({ at, data }) =>
          (data as { readonly jobs: ReadonlyArray<{ readonly jobId: string }> }).jobs.map(({ jobId }): Handed => ({
            at,
            jobId
          }))
      )
  }
}

/** Waits until the callback of each has arrived. */
const arrivalsOf = Effect.fnUntraced(function* (receiver: Program, handed: ReadonlyArray<Handed>) {
  const missing = new Map(handed.map((one) => [one.jobId, one]))
  const arrived: Array<Handed> = []
  const deadline = (yield* Clock.currentTimeMillis) + PATIENCE_MILLIS
  while (missing.size > 0) {
    const { arrivals } = yield* receiver.ask<Arrivals>({ ask: "arrivals" } satisfies ArrivalsRequest)
    for (const [jobId, at] of arrivals) if (missing.delete(jobId)) arrived.push({ jobId, at })
    if ((yield* Clock.currentTimeMillis) > deadline) {
      return yield* new BenchError({
        message: `${missing.size} of ${handed.length} callbacks did not arrive in a minute`
      })
    }
    yield* Effect.sleep("20 millis")
  }
  return arrived
})

/** Times from handing one slip over after the other to the receipt of its callback, in milliseconds. */
const latencies = Effect.fnUntraced(function* (receiver: Program, hand: ReturnType<typeof makeHand>, url: string) {
  const handed: Array<Handed> = []
  for (let count = 0; count < SINGLES; count++) {
    handed.push(yield* hand.one(url))
    yield* Effect.sleep(PAUSE_MILLIS)
  }
  const begun = new Map(handed.map(({ at, jobId }) => [jobId, at]))
  const arrived = yield* arrivalsOf(receiver, handed)
  return arrived.map(({ at, jobId }) => at - (begun.get(jobId) ?? Number.NaN))
})

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const from = performance.timeOrigin + performance.now()
    return Effect.map(effect, (value) => ({ value, from, millis: performance.timeOrigin + performance.now() - from }))
  })
