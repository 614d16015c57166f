import { type Duration, Effect, Schedule } from "effect"
import { Leases } from "../../ports/leases.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { parseCallbackLane } from "../../projections/models/callbacks.ts"
import { laneHistory, makeHostLimiter } from "../callbacks/host-limiter.ts"
import { sendCallbacks } from "../callbacks/send-callbacks.ts"
import { verifyJobs } from "../jobs/verify-jobs.ts"
import { type DriverOptions, makeDriver } from "../processes/driver.ts"
import { initSeries, makeCircuitMetrics, reportOldestJob, reportWork } from "../processes/metrics.ts"
import { longestWait, retrySchedule } from "../processes/retry-schedule.ts"
import { type DueWork, WorkNotifier } from "../processes/work-notifier.ts"
import { reconcile } from "./reconciler.ts"

export interface WorkerOptions extends DriverOptions {
  readonly verifyRetries: ReadonlyArray<Duration.Duration>
  /** Each delay is randomly made up to 20 % shorter or longer. */
  readonly callbackRetries: ReadonlyArray<Duration.Duration>
  /** The limit for one whole exchange. */
  readonly callbackTimeoutMillis: number
  readonly userAgent: string
  /** See `SendCallbacksOptions`. */
  readonly signatureHeaders: ReadonlyArray<string>
  /** Whether callbacks say that the sandbox bank is one of the gateways. */
  readonly isSandbox: boolean
  /** See `HostLimiterOptions`. */
  readonly successesPerSlot: number
}

/** Runs both processes until the scope closes. Returns the notifier of this worker. */
export const startWorker = Effect.fnUntraced(function* (options: WorkerOptions) {
  const models = yield* ReadModels
  const reportCircuit = makeCircuitMetrics()
  const hosts = makeHostLimiter({
    successesPerSlot: options.successesPerSlot,
    historyOf: (lane) => Effect.provideService(laneHistory(lane), ReadModels, models),
    onCircuit: (lane, isOpen) => {
      const { branchId, host } = parseCallbackLane(lane)
      const log = isOpen
        ? Effect.logWarning(`Callbacks to ${host} fail: they are paused, except for one probe every 30 seconds`)
        : Effect.logInfo(`Callbacks to ${host} are sent again`)
      return Effect.andThen(Effect.annotateLogs(log, { branch: branchId }), reportCircuit(host, isOpen))
    }
  })
  const sending = sendCallbacks({
    limiter: hosts,
    schedule: retrySchedule(options.callbackRetries).pipe(Schedule.jittered),
    maxWaitMillis: longestWait(options.callbackRetries),
    timeoutMillis: options.callbackTimeoutMillis,
    userAgent: options.userAgent,
    signatureHeaders: options.signatureHeaders,
    isSandbox: options.isSandbox
  })
  const verifying = verifyJobs({
    schedule: retrySchedule(options.verifyRetries),
    maxWaitMillis: longestWait(options.verifyRetries)
  })

  const sender = yield* makeDriver(sending, options)
  const notifySender = (work: ReadonlyArray<DueWork>) =>
    sender.notify(work.filter(({ process }) => process === "callback-delivery"))
  const verifier = yield* makeDriver(verifying, options).pipe(Effect.provideService(WorkNotifier, notifySender))
  const notify = (work: ReadonlyArray<DueWork>) =>
    Effect.andThen(verifier.notify(work.filter(({ process }) => process === "verification")), notifySender(work))

  const report = Effect.suspend(() =>
    Effect.andThen(
      reportWork(verifying.name, verifying.dueIndex, verifier.inFlight()),
      Effect.andThen(reportWork(sending.name, sending.dueIndex, sender.inFlight()), reportOldestJob)
    )
  )
  yield* initSeries(verifying.name)
  yield* initSeries(sending.name)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(report, Effect.sleep(REPORT_MILLIS))))
  const reconciler = reconcile({
    overdueMillis: { "verification": 2 * verifying.claimMillis, "callback-delivery": 2 * sending.claimMillis },
    maxWaitMillis: { "verification": verifying.maxWaitMillis, "callback-delivery": sending.maxWaitMillis },
    hasWaitingJobs: verifier.hasWaiting,
    isLaneBusy: hosts.isBusy,
    notify
  })
  yield* Effect.forkScoped((yield* Leases).whileHolding("reconciler", reconciler))
  return notify
})

/** The time between two updates of the gauges. Scrapers read them less often. */
const REPORT_MILLIS = 5_000
