import { Duration, Layer } from "effect"
import { WorkNotifier } from "../../application/processes/work-notifier.ts"
import { startWorker } from "../../application/workers/worker.ts"
import type { Settings } from "../settings/settings.ts"
import { isShared, type StoreSettings } from "./stores.ts"
import { version } from "./version.ts"

export type WorkerSettings =
  & StoreSettings
  & Pick<Settings, "verifyRetrySchedule" | "callbackRetrySchedule" | "callbackTimeout">

/**
 * The worker of this process: it verifies jobs and sends callbacks. Whoever is given this hands new work to it at once;
 * without it new work is found by a process that has a worker, through the index.
 */
export const layerWorker = (settings: WorkerSettings) =>
  Layer.effect(
    WorkNotifier,
    startWorker({
      verifyRetries: settings.verifyRetrySchedule,
      callbackRetries: settings.callbackRetrySchedule,
      callbackTimeoutMillis: Duration.toMillis(settings.callbackTimeout),
      userAgent: `SlipTrail/${version}`,
      successesPerSlot: GOOD_FOR_ONE_MORE,
      idleMillis: isShared(settings) ? sharedIdleMillis : loneIdleMillis,
      drainMillis: DRAIN_MILLIS
    })
  )

/** A receiver gets all eight at a time after some fifty callbacks. */
const GOOD_FOR_ONE_MORE = 8

/** Another process may put something into the index at any moment; what this one puts there it hands over. */
const sharedIdleMillis = 200
const loneIdleMillis = 1_000

/**
 * What is under way gets this long to end once the service is told to stop; else it is done again after a start. HTTP
 * is drained before, and all of it must be over in ten seconds.
 */
const DRAIN_MILLIS = 1_500
