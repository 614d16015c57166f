import { type Duration, Effect, Schedule } from "effect"
import { Leases } from "../../ports/leases.ts"
import { ReadModels } from "../../ports/read-models.ts"
import { type Driver, type DriverOptions, makeDriver } from "../processes/driver.ts"
import { type DueNow, WorkNotifier } from "../processes/work-notifier.ts"
import { makeHostGate } from "../callbacks/host-limiter.ts"
import { hostHistory } from "../callbacks/host-history.ts"
import { reconcile } from "./reconciler.ts"
import { retrySchedule } from "../processes/retries.ts"
import { sendCallbacks } from "../callbacks/send-callbacks.ts"
import { verifyJobs } from "../jobs/verify-jobs.ts"
import { beginSeries, makeCircuitMetrics, reportOldestJob, reportWork } from "../processes/worker-metrics.ts"

export interface WorkerOptions extends DriverOptions {
  readonly verifyRetries: ReadonlyArray<Duration.Duration>
  /** Each is made up to 20 % shorter or longer. */
  readonly callbackRetries: ReadonlyArray<Duration.Duration>
  /** For one whole exchange. */
  readonly callbackTimeoutMillis: number
  readonly userAgent: string
  /** See `HostGateOptions`. */
  readonly goodForOneMore: number
}

/** Drives both processes for as long as the scope is open; what it gives takes work at once. */
export const startWorker = Effect.fnUntraced(function* (options: WorkerOptions) {
  const models = yield* ReadModels
  const reportCircuit = makeCircuitMetrics()
  const gate = makeHostGate({
    goodForOneMore: options.goodForOneMore,
    historyOf: (host) => Effect.provideService(hostHistory(host), ReadModels, models),
    onCircuit: (host, isOpen) =>
      Effect.andThen(
        isOpen
          ? Effect.logWarning(`Callbacks to ${host} fail and are paused, but for a probe now and then`)
          : Effect.logInfo(`Callbacks to ${host} go out again`),
        reportCircuit(host, isOpen)
      )
  })
  const send = sendCallbacks({
    gate,
    schedule: retrySchedule(options.callbackRetries).pipe(Schedule.jittered),
    timeoutMillis: options.callbackTimeoutMillis,
    userAgent: options.userAgent
  })
  const verify = verifyJobs({ schedule: retrySchedule(options.verifyRetries) })

  const sender = yield* makeDriver(send, options)
  const handOn = ({ hand }: Driver, process: DueNow["process"], work: ReadonlyArray<DueNow>) =>
    hand(work.filter((one) => one.process === process).map(({ jobId }) => jobId))
  const verifier = yield* makeDriver(verify, options).pipe(
    Effect.provideService(WorkNotifier, (work) => handOn(sender, "callback-delivery", work))
  )
  const hand = (work: ReadonlyArray<DueNow>) =>
    Effect.andThen(handOn(verifier, "verification", work), handOn(sender, "callback-delivery", work))

  const reports = Effect.suspend(() =>
    Effect.andThen(
      reportWork(verify.process, verify.index, verifier.inFlight()),
      Effect.andThen(reportWork(send.process, send.index, sender.inFlight()), reportOldestJob)
    )
  )
  yield* beginSeries(verify.process)
  yield* beginSeries(send.process)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(reports, Effect.sleep(reportMillis))))
  const reconciler = reconcile({
    overdueMillis: { verification: 2 * verify.claimMillis, "callback-delivery": 2 * send.claimMillis },
    areJobsWaiting: verifier.hasWaiting,
    isHostTaken: gate.isTaken,
    hand
  })
  yield* Effect.forkScoped((yield* Leases).whileHolding("reconciler", reconciler))
  return hand
})

/** Between two looks for the gauges: scrapers come less often. */
const reportMillis = 5_000
