import { Clock, Duration, Effect } from "effect"
import { type AttemptOutcome, type CallbackEvent, callbackHost, type CallbackState } from "../../domain/callback.ts"
import { isoTime } from "../../domain/time.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { callbacks } from "../../domain/events/aggregates.ts"
import { openJobResult } from "../sealing/job-sealing.ts"
import { type CommandContext, handleCommand, type Handled, type Loaded } from "../events/handle-command.ts"
import { callbackSets, parseHostMember } from "../../projections/models/callbacks.ts"
import { Identifiers } from "../../ports/identifiers.ts"
import { bodyDigest } from "../jobs/callback-body.ts"
import { callbackDelivery, type SendStep } from "./delivery-process.ts"
import type { Work } from "../processes/driver.ts"
import { exchangeCallback, type Exchanged } from "./exchange-callback.ts"
import type { Gate, Pass } from "../processes/limiter.ts"
import { loadDelivery, type LoadedDelivery } from "./load-delivery.ts"
import { delayAfter, type RetrySchedule } from "../processes/retries.ts"
import { tracedStep } from "../processes/traced-step.ts"
import { makeWebhookKeys } from "./webhook-keys.ts"
import { attempted } from "../processes/worker-metrics.ts"
import { writeDown } from "../processes/append-with-retry.ts"

export interface SendCallbacksOptions {
  readonly gate: Gate
  readonly schedule: RetrySchedule
  /** For one whole exchange. */
  readonly timeoutMillis: number
  readonly userAgent: string
}

/** Sends callbacks: writes down that one goes out, sends it, writes down what came of it. */
export const sendCallbacks = ({ gate, schedule, timeoutMillis, userAgent }: SendCallbacksOptions) => {
  const keysOf = makeWebhookKeys()

  const outcomeOf = Effect.fnUntraced(function* ({ meaning, reason, status, tookMillis }: Exchanged, retry: number) {
    if (meaning !== "Failed" && status !== null) return { _tag: meaning, status, tookMillis } satisfies AttemptOutcome
    const now = yield* Clock.currentTimeMillis
    const delay = yield* delayAfter(schedule, retry)
    const retryAt = delay === undefined ? null : isoTime(now + Math.round(Duration.toMillis(delay)))
    return { _tag: "Failed", status, reason, tookMillis, retryAt } satisfies AttemptOutcome
  })

  const perform = Effect.fnUntraced(function* (step: SendStep, delivery: LoadedDelivery, pass: Pass) {
    const { attempt, branchId, jobId, url } = step
    const stream = streamOf.callback(jobId)
    // What may fail comes first: once it is written down that a callback goes out, it goes.
    const body = yield* openJobResult(step.result)
    const digest = delivery.callback.scheduled?.bodyDigest ?? (yield* Effect.promise(() => bodyDigest(body ?? "")))
    const keys = yield* keysOf(branchId)

    // Its own in each process: of two that send the same attempt one must find out.
    const commandId = (yield* Identifiers).random()
    const context = (name: string, at: number): CommandContext => ({
      commandId: `${commandId}/${name}`,
      correlationId: delivery.correlationId,
      actor,
      at
    })
    const sentAt = yield* Clock.currentTimeMillis
    const send = { _tag: step._tag, jobId, branchId, url, bodyDigest: digest, attempt, at: isoTime(sentAt) }
    const sent = yield* handleCommand(callbacks, stream, send, context("send", sentAt), delivery.loaded)
    if (sent.events.length === 0) return

    const exchanged = body === undefined ? nothingLeft : yield* exchangeCallback(
      { jobId, url, body: new TextEncoder().encode(body), keys },
      { timeoutMillis, userAgent }
    )
    // What was not sent is not the receiver's fault.
    yield* pass.report(exchanged.meaning === "Failed" && body !== undefined ? "badly" : "well")
    const at = yield* Clock.currentTimeMillis
    const outcome = body === undefined ? nothingToSend : yield* outcomeOf(exchanged, step.retry)
    yield* writeDown(
      handleCommand(
        callbacks,
        stream,
        { _tag: "RecordOutcome", attempt, at: isoTime(at), outcome },
        context("outcome", at),
        following(delivery.loaded, sent)
      ),
      writeDownMillis
    ).pipe(Effect.ensuring(tell(step, exchanged, outcome)))
  })

  const work: Work<LoadedDelivery, SendStep, Effect.Services<ReturnType<typeof perform | typeof loadDelivery>>> = {
    process: "callback-delivery",
    index: callbackSets.due,
    read: (member) => {
      const { host, jobId } = parseHostMember(member)
      return { jobId, lane: host }
    },
    load: loadDelivery,
    resume: callbackDelivery.resume,
    laneOf: (_, { url }) => callbackHost(url),
    gate,
    claimMillis: timeoutMillis + writeDownMillis,
    perform: (step, state, pass) => tracedStep("callback-delivery", step, state.origin, perform(step, state, pass))
  }
  return work
}

const actor = { kind: "system", id: "worker" } as const

const nothingLeft: Exchanged = {
  meaning: "Failed",
  status: null,
  reason: "the personal data of this job was deleted on request: there is nothing left to send",
  tookMillis: 0
}

/** It ends with this attempt. */
const nothingToSend = {
  _tag: "Failed",
  status: null,
  reason: nothingLeft.reason,
  tookMillis: 0,
  retryAt: null
} satisfies AttemptOutcome

/** How long an outcome is kept while the store is away. */
const writeDownMillis = 20_000

/** The stream as it is after the append; undefined when somebody else appended between. */
const following = (
  loaded: Loaded<CallbackState>,
  { after, before, events }: Handled<CallbackState, CallbackEvent>
): Loaded<CallbackState> | undefined =>
  before === loaded.state ? { state: after, revision: loaded.revision + events.length } : undefined

const nameOf = (outcome: AttemptOutcome): "delivered" | "rejected" | "failed" | "abandoned" => {
  if (outcome._tag === "Failed") return outcome.retryAt === null ? "abandoned" : "failed"
  return outcome._tag === "Delivered" ? "delivered" : "rejected"
}

const tell = (
  { attempt, jobId, url }: SendStep,
  { reason, status, tookMillis }: Exchanged,
  outcome: AttemptOutcome
) => {
  const name = nameOf(outcome)
  const why = outcome._tag === "Failed" ? { reason } : {}
  return Effect.logInfo(`Callback ${name}`).pipe(
    Effect.annotateLogs({
      job: jobId,
      host: callbackHost(url),
      attempt,
      outcome: name,
      status: status ?? "none",
      millis: tookMillis,
      ...why
    }),
    Effect.andThen(attempted("callback-delivery", name))
  )
}
