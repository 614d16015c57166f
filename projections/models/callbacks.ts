import { Schema } from "effect"
import { type CallbackEnd, type CallbackEvent, callbackHost, DeliveryOutcome } from "../../domain/callback.ts"
import { callbacks, jobs } from "../../domain/events/aggregates.ts"
import type { JobEvent } from "../../domain/job.ts"
import type { Write } from "../../ports/read-models.ts"
import { decoded } from "../engine/decoded.ts"
import type { Projection } from "../engine/projection.ts"
import { laneMember, parseLaneMember } from "../engine/lane-member.ts"
import { OrderedSet, Table } from "../engine/read-model.ts"

/**
 * The read model `callbacks`: callbacks that are due, the data of the circuits, callbacks that
 * ended, and the delivery log of each branch. After the retention, callbacks that ended and attempts leave it.
 */
export const callbacksModel = { name: "callbacks", version: 4 } as const

/**
 * The lane of the callbacks of a branch to a host: `<branch> <host>`. Branches that share a host share neither its slots
 * nor its failures. Neither name contains a space.
 */
export const callbackLane = (branchId: string, host: string): string => `${branchId} ${host}`

/** Reads what `callbackLane` wrote. */
export const parseCallbackLane = (lane: string): { readonly branchId: string; readonly host: string } => {
  const [branchId = "", host = ""] = lane.split(" ")
  return { branchId, host }
}

const AnswerRow = Schema.Struct({ lastOkAt: Schema.String })

/** By host; no row until the host has answered. ISO 8601: when it last answered with any 2xx or 4xx. */
export const hostRows = new Table(callbacksModel, "hosts", AnswerRow)

/** The same by `callbackLane`. */
export const laneRows = new Table(callbacksModel, "lanes", AnswerRow)

/**
 * `at` is the time of sending. The fields after `outcome` are null while they are unknown, or when they do not apply.
 */
export const AttemptRow = Schema.Struct({
  jobId: Schema.String,
  attempt: Schema.Int,
  host: Schema.String,
  at: Schema.String,
  outcome: DeliveryOutcome,
  status: Schema.NullOr(Schema.Int),
  reason: Schema.NullOr(Schema.String),
  tookMillis: Schema.NullOr(Schema.Int),
  nextAttemptAt: Schema.NullOr(Schema.String)
})
export type AttemptRow = typeof AttemptRow.Type

/** By `attemptKey`. The attempts of a job are numbered from 1 without gaps; the first ones may have left the model. */
export const attemptRows = new Table(callbacksModel, "attempts", AttemptRow)

export const callbackSets = {
  /** Callbacks that have not ended: `laneMember` of `callbackLane` and job, scored by the due time in milliseconds. */
  due: new OrderedSet(callbacksModel, "due"),
  /** The same for one host. */
  dueAt: (host: string) => new OrderedSet(callbacksModel, `due:${host}`),
  /**
   * Jobs of a `callbackLane` whose callback failed and has not ended, scored by the failure. Those after `lastOkAt` open
   * the circuit.
   */
  failing: (lane: string) => new OrderedSet(callbacksModel, `failing:${lane}`),
  /**
   * Callbacks with this end: `laneMember` of `callbackLane` and job, scored by the time. A requested redelivery removes the
   * member.
   */
  ended: (end: CallbackEnd) => new OrderedSet(callbacksModel, `ended:${end}`),
  /** The same for one host. */
  endedAt: (end: CallbackEnd, host: string) => new OrderedSet(callbacksModel, `ended:${end}:${host}`),
  /** All attempts: `laneMember` of branch and attempt key, scored by the time of sending. */
  attempts: new OrderedSet(callbacksModel, "attempts"),
  /** Attempt keys of a branch, scored by the time of sending. */
  deliveries: (branchId: string) => new OrderedSet(callbacksModel, `deliveries:${branchId}`),
  /** The same by outcome, scored by the time of the outcome. */
  deliveriesWith: (branchId: string, outcome: DeliveryOutcome) =>
    new OrderedSet(callbacksModel, `deliveries:${branchId}:${outcome}`)
} as const

/** `<jobId>#<attempt>` */
export const attemptKey = (jobId: string, attempt: number): string => `${jobId}#${attempt}`

/** An event of one attempt. */
type AttemptEvent = Extract<CallbackEvent, { readonly attempt: number }>

const sent = ({ at, attempt, branchId, host, jobId }: AttemptEvent): ReadonlyArray<Write> => {
  const key = attemptKey(jobId, attempt)
  const unknown = { status: null, reason: null, tookMillis: null, nextAttemptAt: null }
  return [
    attemptRows.set(key, { jobId, attempt, host, at, outcome: "sent", ...unknown }),
    callbackSets.attempts.add(laneMember(branchId, key), at),
    callbackSets.deliveries(branchId).add(key, at),
    callbackSets.deliveriesWith(branchId, "sent").add(key, at)
  ]
}

const withOutcome = (
  { at, attempt, branchId, jobId }: AttemptEvent,
  outcome: DeliveryOutcome,
  fields: Partial<AttemptRow>
): ReadonlyArray<Write> => {
  const key = attemptKey(jobId, attempt)
  return [
    attemptRows.set(key, { outcome, ...fields }),
    callbackSets.deliveriesWith(branchId, "sent").remove(key),
    callbackSets.deliveriesWith(branchId, outcome).add(key, at)
  ]
}

/** What names a callback in the sets. */
type Place = Pick<CallbackEvent, "branchId" | "host" | "jobId">

const laneOf = ({ branchId, host }: Place): string => callbackLane(branchId, host)

const memberOf = (place: Place): string => laneMember(laneOf(place), place.jobId)

const due = (place: Place, at: string): ReadonlyArray<Write> => {
  const member = memberOf(place)
  const { host } = place
  return [callbackSets.due.add(member, at), callbackSets.dueAt(host).add(member, at)]
}

const ended = (event: CallbackEvent, end: CallbackEnd): ReadonlyArray<Write> => {
  const { at, host, jobId } = event
  const member = memberOf(event)
  return [
    callbackSets.due.remove(member),
    callbackSets.dueAt(host).remove(member),
    callbackSets.failing(laneOf(event)).remove(jobId),
    callbackSets.ended(end).add(member, at),
    callbackSets.endedAt(end, host).add(member, at)
  ]
}

const ends = ["delivered", "rejected", "abandoned"] as const

const attemptExpired = (member: string): ReadonlyArray<Write> => {
  const { jobId: key, lane: branchId } = parseLaneMember(member)
  return [
    attemptRows.delete(key),
    callbackSets.attempts.remove(member),
    callbackSets.deliveries(branchId).remove(key),
    ...DeliveryOutcome.literals.map((outcome) => callbackSets.deliveriesWith(branchId, outcome).remove(key))
  ]
}

const endExpired = (end: CallbackEnd, member: string): ReadonlyArray<Write> => [
  callbackSets.ended(end).remove(member),
  callbackSets.endedAt(end, parseCallbackLane(parseLaneMember(member).lane).host).remove(member)
]

/** Removes the callback from the sets of all ends: the event does not say how it had ended. */
const reopened = (event: CallbackEvent): ReadonlyArray<Write> => {
  const member = memberOf(event)
  return ends.flatMap((end) => [
    callbackSets.ended(end).remove(member),
    callbackSets.endedAt(end, event.host).remove(member)
  ])
}

const ofCallback = (event: CallbackEvent): ReadonlyArray<Write> => {
  const { at, host, jobId } = event
  switch (event._tag) {
    case "CallbackScheduled":
      // The callback is due since the end of the job: `ofJob` has added it.
      return []
    case "CallbackSent":
      // The callback stays due: if the process dies now, another process must find it.
      return sent(event)
    case "CallbackAttemptFailed": {
      const { nextAttemptAt, reason, status, tookMillis } = event
      return [
        ...withOutcome(event, "failed", { status, reason, tookMillis, nextAttemptAt }),
        callbackSets.failing(laneOf(event)).add(jobId, at),
        ...(nextAttemptAt === null ? [] : due(event, nextAttemptAt))
      ]
    }
    case "CallbackDelivered":
    case "CallbackRejected": {
      const { status, tookMillis } = event
      const end = event._tag === "CallbackDelivered" ? "delivered" : "rejected"
      const answered = { lastOkAt: at }
      return [
        ...withOutcome(event, end, { status, tookMillis }),
        ...ended(event, end),
        hostRows.set(host, answered),
        laneRows.set(laneOf(event), answered)
      ]
    }
    case "CallbackAbandoned":
      return ended(event, "abandoned")
    case "CallbackRedeliveryRequested":
      return [...reopened(event), ...due(event, event.nextAttemptAt)]
  }
}

const ofJob = (event: JobEvent): ReadonlyArray<Write> => {
  switch (event._tag) {
    case "VerificationEnqueued":
    case "VerificationAttemptFailed":
      return []
    case "JobSucceeded":
    case "JobNotFound": {
      const { at, branchId, callbackUrl, jobId } = event
      return callbackUrl === null ? [] : due({ branchId, host: callbackHost(callbackUrl), jobId }, at)
    }
  }
}

export const callbacksProjection: Projection = {
  ...callbacksModel,
  streams: ["job-", "callback-"],
  expiring: [
    { set: callbackSets.attempts.set, expire: attemptExpired },
    ...ends.map((end) => ({
      set: callbackSets.ended(end).set,
      expire: (member: string) => endExpired(end, member)
    }))
  ],
  when: (recorded) =>
    recorded.stream.startsWith("job-") ? ofJob(decoded(jobs, recorded)) : ofCallback(decoded(callbacks, recorded))
}
