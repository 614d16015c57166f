import { Duration, Effect, Layer, Redacted, Result } from "effect"
import { WorkNotifier } from "../../application/processes/work-notifier.ts"
import { startWorker } from "../../application/workers/worker.ts"
import { SlipVerifier } from "../../application/verification/verify-slip.ts"
import { layerDiskMetrics, layerEventLoopMetrics, layerProcessMetrics } from "../platform/telemetry/process-metrics.ts"
import { layerTelemetry } from "../platform/telemetry/telemetry.ts"
import { layerInstrumentedSlipVerifier } from "./instrumented/slip-verifier.ts"
import { adminTokenFault } from "../platform/settings/admin-token.ts"
import { readOidcClient } from "../platform/settings/oidc-client.ts"
import type { Settings } from "../platform/settings/settings.ts"
import { layerEngines } from "./engines.ts"
import { layerExternal, layerFollowAccounts, SettingRefused } from "./external-layers.ts"
import { layerHttp } from "./listeners.ts"
import { asksBanks, sandboxFault, usesSandbox } from "./sandbox-bank.ts"
import { fileInFolder, isShared } from "./stores.ts"
import { version } from "./version.ts"

const ROLES = ["http", "worker", "projector"]

/** Refuses combinations of settings that cannot work. */
export const requireSupported = (settings: Settings): Effect.Effect<void, SettingRefused> => {
  const { adminHost, adminPort, adminToken, rateLimit, rateLimitBurst, roles } = settings
  const refuse = (message: string) => Effect.fail(new SettingRefused({ message }))
  const tokenFault = adminToken === undefined ? undefined : adminTokenFault(Redacted.value(adminToken))
  if (tokenFault !== undefined) return refuse(tokenFault)
  if (adminHost !== undefined && adminPort === undefined) {
    return refuse("ADMIN_HOST: has no effect without ADMIN_PORT; set the port that admin API and console listen on")
  }
  const oidc = readOidcClient(settings)
  if (Result.isFailure(oidc)) return refuse(oidc.failure)
  const sandbox = sandboxFault(settings)
  if (sandbox !== undefined) return refuse(sandbox)
  const unknown = roles.find((role) => !ROLES.includes(role))
  if (unknown !== undefined) return refuse(`ROLES: "${unknown}" is not one of ${ROLES.join(", ")}`)
  if (roles.length === 0) return refuse(`ROLES: set at least one of ${ROLES.join(", ")}`)
  if (!isShared(settings) && !(roles.includes("http") && roles.includes("projector"))) {
    return refuse(
      "ROLES: one process owns embedded stores and needs at least http,projector; "
        + "set EVENTSTORE_URL and REDIS_URL to share the work"
    )
  }
  if (rateLimit > 0 && rateLimitBurst === 0) {
    return refuse("RATE_LIMIT_BURST: 0 would refuse every request; set at least 1, or RATE_LIMIT=0 for no limit")
  }
  return Effect.void
}

/**
 * The worker of this process verifies jobs and sends callbacks. The layer provides the notifier that sends new work to the
 * worker at once. In a process without a worker, the workers of other processes find new work in the index.
 */
const layerWorker = (settings: Settings) =>
  Layer.effect(
    WorkNotifier,
    startWorker({
      verifyRetries: settings.verifyRetrySchedule,
      callbackRetries: settings.callbackRetrySchedule,
      callbackTimeoutMillis: Duration.toMillis(settings.callbackTimeout),
      userAgent: `SlipTrail/${version}`,
      signatureHeaders: settings.callbackSignatureHeaders,
      isSandbox: usesSandbox(settings),
      successesPerSlot: SUCCESSES_PER_SLOT,
      idleMillis: isShared(settings) ? sharedIdleMillis : singleIdleMillis,
      drainMillis: WORKER_DRAIN_MILLIS
    })
  )

/** A host reaches its limit of eight concurrent callbacks after about fifty successful ones. */
const SUCCESSES_PER_SLOT = 8

/** Shared stores are polled more often: other processes add work without a notification. */
const sharedIdleMillis = 200
const singleIdleMillis = 1_000

/**
 * The time limit of current work at shutdown. Unfinished work is done again after the next start. HTTP is drained first,
 * and the whole shutdown must end within ten seconds.
 */
const WORKER_DRAIN_MILLIS = 1_500

/** The metrics of the process. */
const processMetrics = (settings: Settings) =>
  Layer.mergeAll(
    layerProcessMetrics({ version, roles: settings.roles }),
    layerEventLoopMetrics,
    fileInFolder(settings) === undefined ? Layer.empty : layerDiskMetrics(settings.dataDir)
  )

/** All layers of one process. */
export const layerService = (settings: Settings) =>
  layerHttp(settings).pipe(
    Layer.provideMerge(settings.roles.includes("worker") ? layerWorker(settings) : Layer.empty),
    Layer.provideMerge(asksBanks(settings) ? layerFollowAccounts : Layer.empty),
    Layer.provideMerge(layerInstrumentedSlipVerifier.pipe(Layer.provide(SlipVerifier.layer))),
    Layer.provideMerge(layerExternal(settings)),
    Layer.provideMerge(layerEngines(settings, { project: settings.roles.includes("projector"), sign: settings })),
    Layer.provideMerge(layerTelemetry(settings, version)),
    Layer.provideMerge(processMetrics(settings)),
    Layer.provide(Layer.effectDiscard(requireSupported(settings)))
  )
