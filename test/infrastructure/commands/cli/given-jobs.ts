import { Effect } from "effect"
import { join } from "node:path"
import { type CallbackReceiver, startCallbackReceiver } from "../../../support/callback-receiver.ts"
import { newSlip } from "../../../support/client.ts"
import { eventually } from "../../../support/eventually.ts"
import { layerRunningService, RunningService } from "../../../support/service.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

interface JobView {
  readonly status: string
  readonly callback: { readonly state: string }
}

/** Enqueues a slip and waits until its job and its callback, if any, have ended. Returns the job id. */
export const endJob = Effect.fnUntraced(function* (
  key: string,
  body: { readonly payload: string; readonly callbackUrl?: string; readonly conditions?: object }
) {
  const { call } = yield* RunningService
  const { data: { jobId } } = yield* call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", { key, body })
  const getJob = call<JobView>("GET", `/v2/verify/bank/jobs/${jobId}`, { key })
  yield* eventually(getJob, ({ data }) => data.status !== "pending" && data.callback.state !== "pending")
  return jobId
})

/** The events of a job that succeeded, and whose callback was delivered, with the first attempt. */
export const deliveredEvents = [
  "VerificationEnqueued",
  "SlipVerified",
  "JobSucceeded",
  "CallbackScheduled",
  "CallbackSent",
  "CallbackDelivered"
]

/** A callback receiver whose answer a test can change. */
export interface Receiver extends CallbackReceiver {
  /** Sets the status of all later answers. */
  readonly answers: (status: number) => void
}

export const startReceiver = Effect.gen(function* () {
  let status = 200
  const receiver = yield* startCallbackReceiver(() => status)
  const withAnswers: Receiver = {
    ...receiver,
    answers: (next) => {
      status = next
    }
  }
  return withAnswers
})

/** Settings of a service that can reach the receiver and retries only once, after 20 ms. */
export const settingsFor = (receiver: Receiver) => ({
  ...receiver.env,
  CALLBACK_RETRY_SCHEDULE: "20 millis",
  VERIFY_RETRY_SCHEDULE: "20 millis"
})

/**
 * A data folder after a service has stopped. One callback was delivered, one rejected and one abandoned, and one slip
 * was not found.
 */
export const givenEndedJobs = Effect.gen(function* () {
  const receiver = yield* startReceiver
  const env = { ...settingsFor(receiver), DATA_DIR: join(yield* temporaryFolder, "data") }
  const callbackUrl = `${receiver.url}?token=t0k3n`
  const made = yield* Effect.gen(function* () {
    const { mainBranch } = yield* (yield* RunningService).createService()
    const endedWith = Effect.fnUntraced(function* (status: number, slip = newSlip()) {
      receiver.answers(status)
      return yield* endJob(mainBranch.apiKey, { payload: slip.payload, callbackUrl })
    })
    const slip = newSlip()
    return {
      branchId: mainBranch.id,
      secrets: [mainBranch.apiKey, mainBranch.webhookSecret, "t0k3n"],
      slip,
      delivered: yield* endedWith(200, slip),
      rejected: yield* endedWith(410),
      abandoned: yield* endedWith(503),
      unknown: yield* endJob(mainBranch.apiKey, { payload: newSlip({ outcome: "not-found" }).payload })
    }
  }).pipe(Effect.provide(layerRunningService(env)))
  return { ...made, env, receiver, host: new URL(receiver.url).host }
})
