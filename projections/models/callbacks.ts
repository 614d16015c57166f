import { type CallbackEnd, type CallbackEvent, callbackHost } from "../../domain/callback.ts"
import type { JobEvent } from "../../domain/job.ts"
import { callbacks, jobs } from "../../domain/events/aggregates.ts"
import {
  attemptKey,
  type AttemptRow,
  callbacksModel,
  callbacksSets,
  callbacksTables,
  type DeliveryOutcome,
  hostMember
} from "./callbacks-rows.ts"
import type { Write } from "../../ports/read-models.ts"
import type { Projection } from "../engine/projection.ts"

/** An event of one attempt. */
type Attempted = Extract<CallbackEvent, { readonly attempt: number }>

const add = (set: string, member: string, at: string): Write => ({
  _tag: "AddMember",
  set,
  member,
  score: Date.parse(at)
})

const remove = (set: string, member: string): Write => ({ _tag: "RemoveMember", set, member })

const setAttempt = ({ attempt, jobId }: Attempted, fields: Partial<AttemptRow>): Write => ({
  _tag: "SetFields",
  table: callbacksTables.attempts,
  key: attemptKey(jobId, attempt),
  fields
})

const sent = (event: Attempted): ReadonlyArray<Write> => {
  const { at, attempt, branchId, host, jobId } = event
  const key = attemptKey(jobId, attempt)
  const unknown = { status: null, reason: null, tookMillis: null, nextAttemptAt: null }
  return [
    setAttempt(event, { jobId, attempt, host, at, outcome: "sent", ...unknown }),
    add(callbacksSets.deliveries(branchId), key, at),
    add(callbacksSets.deliveriesWith(branchId, "sent"), key, at)
  ]
}

const outcome = (event: Attempted, outcome: DeliveryOutcome, fields: Partial<AttemptRow>): ReadonlyArray<Write> => {
  const { at, attempt, branchId, jobId } = event
  const key = attemptKey(jobId, attempt)
  return [
    setAttempt(event, { outcome, ...fields }),
    remove(callbacksSets.deliveriesWith(branchId, "sent"), key),
    add(callbacksSets.deliveriesWith(branchId, outcome), key, at)
  ]
}

const due = (host: string, jobId: string, at: string): ReadonlyArray<Write> => {
  const member = hostMember(host, jobId)
  return [add(callbacksSets.due, member, at), add(callbacksSets.dueAt(host), member, at)]
}

const ended = ({ at, host, jobId }: CallbackEvent, end: CallbackEnd): ReadonlyArray<Write> => {
  const member = hostMember(host, jobId)
  return [
    remove(callbacksSets.due, member),
    remove(callbacksSets.dueAt(host), member),
    remove(callbacksSets.failing(host), jobId),
    add(callbacksSets.ended(end), member, at),
    add(callbacksSets.endedAt(end, host), member, at)
  ]
}

const ends = ["delivered", "rejected", "abandoned"] as const

/** However it had ended: the event does not say. */
const openAgain = ({ host, jobId }: CallbackEvent): ReadonlyArray<Write> => {
  const member = hostMember(host, jobId)
  return ends.flatMap((end) => [
    remove(callbacksSets.ended(end), member),
    remove(callbacksSets.endedAt(end, host), member)
  ])
}

const answered = ({ at, host }: CallbackEvent): Write => ({
  _tag: "SetFields",
  table: callbacksTables.hosts,
  key: host,
  fields: { lastOkAt: at }
})

const ofCallback = (event: CallbackEvent): ReadonlyArray<Write> => {
  const { at, host, jobId } = event
  switch (event._tag) {
    case "CallbackScheduled":
      // Due since the job ended, which is where the projection learnt of it.
      return []
    case "CallbackSent":
      // It stays due: were its process to die now, somebody has to find it.
      return sent(event)
    case "CallbackAttemptFailed": {
      const { nextAttemptAt, reason, status, tookMillis } = event
      return [
        ...outcome(event, "failed", { status, reason, tookMillis, nextAttemptAt }),
        add(callbacksSets.failing(host), jobId, at),
        ...(nextAttemptAt === null ? [] : due(host, jobId, nextAttemptAt))
      ]
    }
    case "CallbackDelivered":
    case "CallbackRejected": {
      const { status, tookMillis } = event
      const word = event._tag === "CallbackDelivered" ? "delivered" : "rejected"
      return [...outcome(event, word, { status, tookMillis }), ...ended(event, word), answered(event)]
    }
    case "CallbackAbandoned":
      return ended(event, "abandoned")
    case "CallbackRedeliveryRequested":
      return [...openAgain(event), ...due(host, jobId, event.nextAttemptAt)]
  }
}

const ofJob = (event: JobEvent): ReadonlyArray<Write> => {
  switch (event._tag) {
    case "VerificationEnqueued":
    case "VerificationAttemptFailed":
      return []
    case "JobSucceeded":
    case "JobNotFound": {
      const { at, callbackUrl, jobId } = event
      if (callbackUrl === null) return []
      return due(callbackHost(callbackUrl), jobId, at)
    }
  }
}

/** What has to be sent, when and to which server, what came of every attempt, and how it ended. */
export const callbacksProjection: Projection = {
  ...callbacksModel,
  streams: ["job-", "callback-"],
  when: (recorded) =>
    recorded.stream.startsWith("job-")
      ? ofJob(jobs.codec.decode(recorded))
      : ofCallback(callbacks.codec.decode(recorded))
}
