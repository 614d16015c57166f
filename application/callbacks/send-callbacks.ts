import { Clock, Duration, Effect } from "effect"
import { type Delivery, deliveryProcess, type SendStep, statusMeaning } from "./delivery-process.ts"
import { makeWebhookKeys, type WebhookKeys } from "./webhook-keys.ts"
import { type CommandContext, handleCommand, type Handled, load, type Loaded } from "../events/handle-command.ts"
import { loadJob } from "../jobs/load-job.ts"
import type { ProcessDefinition } from "../processes/driver.ts"
import type { Limiter, Permit } from "../processes/limiter.ts"
import { countAttempt } from "../processes/metrics.ts"
import { delayAfter, type RetrySchedule } from "../processes/retry-schedule.ts"
import { appendWithRetry, tracedStep } from "../processes/step.ts"
import { openJobResult } from "../sealing/sealed-data.ts"
import { toHex } from "../../domain/hex.ts"
import { type AttemptOutcome, type CallbackEvent, callbackHost, type CallbackState } from "../../domain/callback.ts"
import { callbacks, streamOf } from "../../domain/events/aggregates.ts"
import { retryAfterMillis } from "../../domain/retry-after.ts"
import { isoTime } from "../../domain/time.ts"
import { MAX_STATED_WAIT_MILLIS } from "../../domain/waits.ts"
import { Egress, type EgressError } from "../../ports/egress.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import type { Origin } from "../../ports/tracing.ts"
import { callbackSets } from "../../projections/models/callbacks.ts"
import { signatures } from "../../sdk/webhook/signature.ts"

export interface SendCallbacksOptions {
  readonly limiter: Limiter
  readonly schedule: RetrySchedule
  /** See `ProcessDefinition`. */
  readonly maxWaitMillis: number
  /** The limit for one whole exchange. */
  readonly timeoutMillis: number
  readonly userAgent: string
  /** Names of further headers with the value of `X-Service-Signature`. */
  readonly signatureHeaders: ReadonlyArray<string>
  /** Whether callbacks say that the sandbox bank is one of the gateways. */
  readonly isSandbox: boolean
}

/** The process that sends callbacks: it appends `CallbackSent`, sends the request, and appends the outcome. */
export const sendCallbacks = (options: SendCallbacksOptions) => {
  const { isSandbox, limiter, maxWaitMillis, schedule, signatureHeaders, timeoutMillis, userAgent } = options
  const keysOf = makeWebhookKeys()

  const outcomeOf = Effect.fnUntraced(function* (exchange: Exchange, retry: number) {
    const { meaning, reason, retryAfter, status, tookMillis } = exchange
    if (meaning !== "Failed" && status !== null) return { _tag: meaning, status, tookMillis } satisfies AttemptOutcome
    const now = yield* Clock.currentTimeMillis
    const atLeast = Math.min(retryAfterMillis(retryAfter, now) ?? 0, MAX_STATED_WAIT_MILLIS)
    const delay = yield* delayAfter(schedule, retry, Duration.millis(atLeast))
    const retryAt = delay === undefined ? null : isoTime(now + Math.round(Duration.toMillis(delay)))
    return { _tag: "Failed", status, reason, tookMillis, retryAt } satisfies AttemptOutcome
  })

  const perform = Effect.fnUntraced(function* (step: SendStep, delivery: LoadedDelivery, permit: Permit) {
    const { attempt, branchId, jobId, url } = step
    const stream = streamOf.callback(jobId)
    // All work that may fail happens before `CallbackSent` is appended, except reading the keys.
    const body = yield* openJobResult(step.result)
    const digest = delivery.callback.scheduled?.bodyDigest ?? (yield* Effect.promise(() => bodyDigest(body ?? "")))

    // A random id in each process: of two processes that send the same attempt one must get a conflict.
    const commandId = (yield* Identifiers).newId()
    const context = (name: string, at: number): CommandContext => ({
      commandId: `${commandId}/${name}`,
      correlationId: delivery.correlationId,
      actor,
      at
    })
    const sentAt = yield* Clock.currentTimeMillis
    const send = {
      _tag: "SendCallback",
      jobId,
      branchId,
      url,
      bodyDigest: digest,
      attempt,
      at: isoTime(sentAt)
    } as const
    const sent = yield* handleCommand(callbacks, stream, send, context("send", sentAt), delivery.loaded)
    if (sent.events.length === 0) return

    const exchange = body === undefined ? nothingToSend : yield* exchangeCallback({
      branchId,
      jobId,
      url,
      body: new TextEncoder().encode(body),
      // After the append, which may take seconds: a secret that was revoked meanwhile must not sign.
      keys: yield* keysOf(branchId),
      timeoutMillis,
      userAgent,
      signatureHeaders,
      isSandbox
    })
    if (exchange.hostOutcome !== undefined) yield* permit.report(exchange.hostOutcome)
    const at = yield* Clock.currentTimeMillis
    const outcome = body === undefined ? erased : yield* outcomeOf(exchange, step.retry)
    const record = { _tag: "RecordOutcome", attempt, at: isoTime(at), outcome } as const
    yield* appendWithRetry(
      handleCommand(callbacks, stream, record, context("outcome", at), stateAfter(delivery.loaded, sent)),
      APPEND_RETRY_MILLIS
    ).pipe(Effect.ensuring(reportAttempt(step, exchange, outcome)))
  })

  const process: ProcessDefinition<
    LoadedDelivery,
    SendStep,
    Effect.Services<ReturnType<typeof perform | typeof loadDelivery>>
  > = {
    name: "callback-delivery",
    dueIndex: callbackSets.due,
    load: loadDelivery,
    resume: deliveryProcess.resume,
    limiter,
    claimMillis: timeoutMillis + APPEND_RETRY_MILLIS,
    maxWaitMillis,
    perform: (step, state, permit) => tracedStep("callback-delivery", step, state.origin, perform(step, state, permit))
  }
  return process
}

const actor = { kind: "system", id: "worker" } as const

/** How long the append of an outcome is retried while the store is unavailable. */
const APPEND_RETRY_MILLIS = 20_000

interface LoadedDelivery extends Delivery {
  readonly loaded: Loaded<CallbackState>
  readonly correlationId: string
  /** The event that ended the job. */
  readonly origin: Origin | undefined
}

const loadDelivery = Effect.fnUntraced(function* (jobId: string) {
  const [job, loaded] = yield* Effect.all([loadJob(jobId), load(callbacks, streamOf.callback(jobId))], {
    concurrency: 2
  })
  const { correlationId, origin } = job
  return { job: job.state, callback: loaded.state, loaded, correlationId, origin } satisfies LoadedDelivery
})

/** The outcome of one HTTP exchange. */
interface Exchange {
  readonly meaning: "Delivered" | "Rejected" | "Failed"
  /** Null without an answer. */
  readonly status: number | null
  /** Why it failed, for a person; without the URL's query. */
  readonly reason: string
  /** The header `Retry-After` of the answer. */
  readonly retryAfter: string | undefined
  readonly tookMillis: number
  /** How the host answered; undefined when the host was not asked. */
  readonly hostOutcome: "success" | "failure" | undefined
}

/** Signs and sends a callback. Never fails: an unreachable receiver is an outcome. */
export const exchangeCallback = Effect.fnUntraced(function* (
  { body, branchId, isSandbox, jobId, keys, signatureHeaders, timeoutMillis, url, userAgent }: {
    readonly branchId: string
    readonly jobId: string
    readonly url: string
    readonly body: Uint8Array
    readonly keys: WebhookKeys
    readonly timeoutMillis: number
    readonly userAgent: string
    readonly signatureHeaders: ReadonlyArray<string>
    readonly isSandbox: boolean
  }
) {
  const startedAt = yield* Clock.currentTimeMillis
  const timestamp = String(Math.floor(startedAt / 1_000))
  const { service, standard } = yield* Effect.promise(() => signatures({ id: jobId, timestamp, body }, keys))
  const answer = yield* (yield* Egress).request({
    branchId,
    method: "POST",
    url,
    headers: {
      "content-type": "application/json",
      "user-agent": userAgent,
      ...(isSandbox ? { "x-sandbox": "true" } : {}),
      "x-service-signature": service,
      ...Object.fromEntries(signatureHeaders.map((name) => [name.toLowerCase(), service])),
      "webhook-id": jobId,
      "webhook-timestamp": timestamp,
      "webhook-signature": standard
    },
    body,
    schemes: ["https"],
    maxRedirects: 0,
    maxBytes: 65_536,
    overflow: "truncate",
    timeoutMillis
  }).pipe(
    Effect.map(({ headers, status }) => answeredExchange(status, headers["retry-after"])),
    Effect.catchTag("EgressError", (error) => Effect.succeed(failedExchange(error)))
  )
  return { ...answer, tookMillis: (yield* Clock.currentTimeMillis) - startedAt } satisfies Exchange
})

const reasonOf = (status: number): string =>
  status >= 300 && status <= 399
    ? `the receiver answered ${status}: redirects are not followed`
    : `the receiver answered ${status}`

const answeredExchange = (status: number, retryAfter: string | undefined) => {
  const meaning = statusMeaning(status)
  const hostOutcome = meaning === "Failed" ? "failure" as const : "success" as const
  return { meaning, status, reason: reasonOf(status), retryAfter, hostOutcome }
}

const failedExchange = ({ detail, reason }: EgressError) => ({
  meaning: "Failed" as const,
  status: null,
  reason: `${reason}: ${detail}`.slice(0, MAX_REASON_LENGTH),
  retryAfter: undefined,
  hostOutcome: reason === "busy" ? undefined : "failure" as const
})

/** The detail may hold text of the remote side. */
const MAX_REASON_LENGTH = 300

const nothingToSend: Exchange = {
  meaning: "Failed",
  status: null,
  reason: "the personal data of this job was deleted on request: there is nothing left to send",
  retryAfter: undefined,
  tookMillis: 0,
  hostOutcome: undefined
}

/** The outcome of an erased callback: no retry. */
const erased = {
  _tag: "Failed",
  status: null,
  reason: nothingToSend.reason,
  tookMillis: 0,
  retryAt: null
} satisfies AttemptOutcome

/** The stream after the append; undefined when another process appended in between. */
const stateAfter = (
  loaded: Loaded<CallbackState>,
  { after, before, events }: Handled<CallbackState, CallbackEvent>
): Loaded<CallbackState> | undefined =>
  before === loaded.state ? { state: after, revision: loaded.revision + events.length } : undefined

const outcomeName = (outcome: AttemptOutcome): "delivered" | "rejected" | "failed" | "abandoned" => {
  if (outcome._tag === "Failed") return outcome.retryAt === null ? "abandoned" : "failed"
  return outcome._tag === "Delivered" ? "delivered" : "rejected"
}

const reportAttempt = (
  { attempt, jobId, url }: SendStep,
  { reason, status, tookMillis }: Exchange,
  result: AttemptOutcome
) => {
  const outcome = outcomeName(result)
  return Effect.logInfo(`Callback ${outcome}`).pipe(
    Effect.annotateLogs({
      job: jobId,
      host: callbackHost(url),
      attempt,
      outcome,
      status: status ?? "none",
      millis: tookMillis,
      ...(result._tag === "Failed" ? { reason } : {})
    }),
    Effect.andThen(countAttempt("callback-delivery", outcome))
  )
}

/** SHA-256 of the body, in hexadecimal. */
export const bodyDigest = async (body: string): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body))))
