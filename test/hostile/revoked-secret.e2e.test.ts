import { assert, describe, it } from "../support/it.ts"
import { Effect } from "effect"
import { isSigned, startCallbackReceiver } from "../support/callback-receiver.ts"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { layerRunningService, RunningService } from "../support/service.ts"

const ROTATIONS = 5

describe("a webhook secret that was revoked without overlap", () => {
  it.live("signs no callback of a job that is enqueued after the answer", function* () {
    const receiver = yield* startCallbackReceiver()
    yield* Effect.gen(function* () {
      const { call, createService } = yield* RunningService
      const leaked = (yield* createService()).mainBranch
      const other = (yield* createService()).mainBranch
      const callbackOf = Effect.fnUntraced(function* (key: string) {
        const { data: { jobId } } = yield* call<{ jobId: string }>("POST", "/v2/verify/bank/async", {
          key,
          body: { payload: newSlip().payload, callbackUrl: receiver.url }
        })
        const arrived = yield* eventually(
          Effect.sync(() => receiver.arrivals.find((arrival) => arrival.jobId === jobId)),
          (arrival) => arrival !== undefined
        )
        return arrived ?? (yield* Effect.die("no callback"))
      })
      const isSignedBy = (arrival: Effect.Success<ReturnType<typeof callbackOf>>, secret: string) =>
        Effect.promise(() => isSigned(arrival, secret))

      let secret = leaked.webhookSecret
      for (let rotation = 0; rotation < ROTATIONS; rotation++) {
        assert.isTrue(yield* isSignedBy(yield* callbackOf(leaked.apiKey), secret))

        const rotated = yield* call<{ secret: string }>("POST", "/v2/webhook/secret/rotate", {
          key: leaked.apiKey,
          body: { overlapSeconds: 0 }
        })
        const next = yield* callbackOf(leaked.apiKey)

        assert.isFalse(yield* isSignedBy(next, secret), "the revoked secret")
        assert.isTrue(yield* isSignedBy(next, rotated.data.secret))
        assert.lengthOf((next.headers["webhook-signature"] ?? "").split(" "), 1)
        secret = rotated.data.secret
        assert.isTrue(yield* isSignedBy(yield* callbackOf(other.apiKey), other.webhookSecret), "the other branch")
      }
    }).pipe(Effect.provide(layerRunningService(receiver.env)))
  })
})
