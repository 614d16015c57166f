import { Effect } from "effect"
import { join } from "node:path"
import { type CallbackReceiver, startCallbackReceiver } from "../../support/callback-receiver.ts"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

interface Seen {
  readonly status: string
  readonly callback: { readonly state: string }
}

/** Hands a slip over and waits until its callback, or without one the job, has come to an end. */
export const endJob = Effect.fnUntraced(function* (
  key: string,
  body: { readonly payload: string; readonly callbackUrl?: string }
) {
  const { call } = yield* RunningService
  const { data: { jobId } } = yield* call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", { key, body })
  const look = call<Seen>("GET", `/v2/verify/bank/jobs/${jobId}`, { key })
  yield* eventually(look, ({ data }) => data.status !== "pending" && data.callback.state !== "pending")
  return jobId
})

/** The trail of a job that succeeded, and whose callback was delivered, with the first attempt. */
export const deliveredCourse = [
  "VerificationEnqueued",
  "SlipVerified",
  "JobSucceeded",
  "CallbackScheduled",
  "CallbackSent",
  "CallbackDelivered"
]

/** What a receiver answers. */
export interface Receiver extends CallbackReceiver {
  /** To whatever arrives from now on. */
  readonly answers: (status: number) => void
}

export const startReceiver = Effect.gen(function* () {
  let status = 200
  const receiver = yield* startCallbackReceiver(() => status)
  const answering: Receiver = {
    ...receiver,
    answers: (next) => {
      status = next
    }
  }
  return answering
})

/** Settings of a service that reaches the receiver and soon gives up. */
export const settingsFor = (receiver: Receiver) => ({
  ...receiver.env,
  CALLBACK_RETRY_SCHEDULE: "20 millis",
  VERIFY_RETRY_SCHEDULE: "20 millis"
})

/**
 * A folder in which a service has run and stopped: one callback of a branch each was delivered, rejected and abandoned,
 * and one slip was not found.
 */
export const givenEndedJobs = Effect.gen(function* () {
  const receiver = yield* startReceiver
  const env = { ...settingsFor(receiver), DATA_DIR: join(yield* temporaryFolder, "data") }
  const callbackUrl = `${receiver.url}?token=t0k3n`
  const made = yield* Effect.gen(function* () {
    const { mainBranch } = yield* (yield* RunningService).createService()
    const told = Effect.fnUntraced(function* (status: number, slip = newSlip()) {
      receiver.answers(status)
      return yield* endJob(mainBranch.apiKey, { payload: slip.payload, callbackUrl })
    })
    const slip = newSlip()
    return {
      branchId: mainBranch.id,
      secrets: [mainBranch.apiKey, mainBranch.webhookSecret, "t0k3n"],
      slip,
      delivered: yield* told(200, slip),
      rejected: yield* told(410),
      abandoned: yield* told(503),
      unknown: yield* endJob(mainBranch.apiKey, { payload: newSlip({ outcome: "not-found" }).payload })
    }
  }).pipe(Effect.provide(layerRunningService(env)))
  return { ...made, env, receiver, host: new URL(receiver.url).host }
})
