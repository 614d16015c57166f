import { Data, Effect } from "effect"
import type { DisclosureSubject } from "../../domain/disclosure.ts"
import {
  formatPosition,
  isBefore,
  type Json,
  type JsonObject,
  type RecordedEvent
} from "../../domain/events/recorded-event.ts"
import { streamOf } from "../../domain/events/aggregates.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import { bankAccountsModel } from "../../projections/models/bank-accounts.ts"
import { duplicatesModel } from "../../projections/models/duplicates.ts"
import { trailIndexModel } from "../../projections/models/trail-index.ts"
import { jobsModel } from "../../projections/models/jobs.ts"
import { withoutQuery } from "../../domain/callback.ts"
import { digestOfJobAlone, slipDigest } from "../sealing/sealed-data.ts"
import { eventsOfBranch } from "./trail-branch.ts"
import {
  eventsOfEach,
  eventsOfJob,
  eventsOfRequest,
  eventsOfVerifications,
  historyOf,
  relatedEvents,
  relatedEventsOfAll,
  slipJobs,
  slipStreams
} from "./trail-sources.ts"

/** The subject of a trail. The verification of a job has the job's id, and its trail includes the job. */
export type TrailSubject =
  | { readonly _tag: "Job"; readonly id: string }
  | { readonly _tag: "Verification"; readonly id: string }
  | { readonly _tag: "Slip"; readonly sendingBank: string; readonly transRef: string }
  | { readonly _tag: "Branch"; readonly id: string }

/**
 * A request by the id in the header `X-Request-Id` of its response, or requests by the id that their callers gave them
 * (`X-Client-Request-Id`). It has a trail, but no state.
 */
export interface TrailRequest {
  readonly _tag: "Request"
  readonly id: string
}

const kinds = { Job: "job", Verification: "verification", Branch: "branch" } as const

/** The subject in the form that the log may hold: a slip by its digest. */
export const loggedSubject = Effect.fnUntraced(function* (subject: TrailSubject) {
  const logged: DisclosureSubject = subject._tag === "Slip"
    ? { kind: "slip", id: yield* slipDigest(subject.sendingBank, subject.transRef) }
    : { kind: kinds[subject._tag], id: subject.id.toLowerCase() }
  return logged
})

export interface Trail {
  /** Oldest first. */
  readonly events: ReadonlyArray<RecordedEvent>
  /** Events were left out. A branch's trail keeps the latest events, a slip's the first; a request's trail keeps any. */
  readonly isTruncated: boolean
}

/** An event of a trail as clients receive it (docs/spec/http.md, "Trail query"). */
export const trailItem = ({ data, metadata, position, revision, stream, type }: RecordedEvent) => ({
  position: formatPosition(position),
  stream,
  revision,
  type,
  at: metadata.at,
  actor: metadata.actor,
  requestId: metadata.correlationId,
  clientRequestId: metadata.clientRequestId ?? null,
  data
})

/** The subject has no events, or had none at the given time. */
export class TrailEmpty extends Data.TaggedError("TrailEmpty")<{}> {}

const complete = (events: ReadonlyArray<RecordedEvent>): Trail => ({ events, isTruncated: false })

const trailOfVerification = Effect.fnUntraced(function* (id: string, upTo: number | undefined) {
  const events = [...(yield* eventsOfJob(id, upTo)), ...(yield* eventsOfVerifications([id], upTo))]
  return complete([...events, ...(yield* relatedEvents(id, upTo)), ...(yield* relatedEventsOfAll(events, upTo))])
})

const trailOfJob = Effect.fnUntraced(function* (id: string, upTo: number | undefined) {
  if ((yield* eventsOfJob(id, upTo)).length === 0) return complete([])
  const { events, ...more } = yield* trailOfVerification(id, upTo)
  return { ...more, events: [...events, ...(yield* historyOf(streamOf.erasure(yield* digestOfJobAlone(id)), upTo))] }
})

const isOfSlip = (stream: string): boolean => stream.startsWith("slip-")

/** At most `most` verifications in each service, failed verifications, and jobs. */
const trailOfSlip = Effect.fnUntraced(
  function* (sendingBank: string, transRef: string, upTo: number | undefined, most: number) {
    const digest = yield* slipDigest(sendingBank, transRef)
    const streams = yield* slipStreams(sendingBank, transRef)
    const failed = streams.filter((stream) => !isOfSlip(stream))
    const jobs = yield* slipJobs(sendingBank, transRef)
    const verified = yield* Effect.forEach(
      streams.filter(isOfSlip),
      (stream) => historyOf(stream, upTo, { limit: most + 1 })
    )
    const events = [
      ...verified.flatMap((history) => history.slice(0, most)),
      ...(yield* eventsOfEach(failed.slice(0, most), (stream) => historyOf(stream, upTo))),
      ...(yield* eventsOfEach(jobs.slice(0, most), (job) => eventsOfJob(job, upTo))),
      ...(yield* historyOf(streamOf.erasure(digest), upTo))
    ]
    const related = [...(yield* relatedEvents(digest, upTo)), ...(yield* relatedEventsOfAll(events, upTo))]
    return {
      events: [...events, ...related],
      isTruncated: [failed, jobs, ...verified].some(({ length }) => length > most)
    } satisfies Trail
  }
)

const trailOf = (subject: TrailSubject | TrailRequest, upTo: number | undefined, most: number) => {
  switch (subject._tag) {
    case "Job":
      return trailOfJob(subject.id, upTo)
    case "Verification":
      return trailOfVerification(subject.id, upTo)
    case "Slip":
      return trailOfSlip(subject.sendingBank, subject.transRef, upTo, most)
    case "Branch":
      return eventsOfBranch(subject.id, upTo)
    case "Request":
      return eventsOfRequest(subject.id, upTo)
  }
}

/** The events in the order of the log, without duplicates. */
const sorted = (events: ReadonlyArray<RecordedEvent>): ReadonlyArray<RecordedEvent> => {
  const byPosition = new Map(events.map((event) => [formatPosition(event.position), event]))
  return [...byPosition.values()].sort((left, right) => isBefore(left.position, right.position) ? -1 : 1)
}

/** Fields of events that hold a URL from a caller or an operator. */
const urlFields = ["url", "callbackUrl"]

/** The data of an event. Its URLs lose their query, which may be a secret. */
export const withoutQueries = (data: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(data).map((
      [name, value]
    ): [string, Json] => [name, urlFields.includes(name) && typeof value === "string" ? withoutQuery(value) : value])
  )

/** Long, because a person reads the trail and prefers waiting to an error. */
const CATCH_UP_TIMEOUT_MILLIS = 5_000

/** Waits until the read models that locate events have caught up with the log. */
export const trailReady = caughtUp(
  [duplicatesModel, trailIndexModel, jobsModel, bankAccountsModel],
  CATCH_UP_TIMEOUT_MILLIS
)

/** The most verifications of a slip in one service that a trail shows, and the most of its failures and jobs. */
const MAX_OF_SLIP = 1_000

/** As `trail`, but the events are exactly as the log holds them, and a slip's are all, unless `most` bounds them. */
export const trailAsLogged = Effect.fnUntraced(
  function* (subject: TrailSubject | TrailRequest, upTo?: number, most: number = Number.MAX_SAFE_INTEGER - 1) {
    yield* trailReady
    const { events, isTruncated } = yield* trailOf(subject, upTo, most)
    if (events.length === 0) return yield* new TrailEmpty()
    return { events: sorted(events), isTruncated } satisfies Trail
  }
)

/**
 * The events of a subject or a request, oldest first, at most those that a person can read. With `upTo` (Unix milliseconds) only events up to that time. URLs
 * lose their query, and sealed data stays sealed. Fails with `TrailEmpty` when there are no events.
 */
export const trail = Effect.fn("trail")(function* (subject: TrailSubject | TrailRequest, upTo?: number) {
  const { events, isTruncated } = yield* trailAsLogged(subject, upTo, MAX_OF_SLIP)
  return {
    events: events.map((event) => ({ ...event, data: withoutQueries(event.data) })),
    isTruncated
  } satisfies Trail
})
