import { Data, Effect } from "effect"
import { streamOf } from "../../domain/events/streams.ts"
import { bankAccountsModel } from "../../projections/models/bank-accounts.ts"
import { duplicatesModel } from "../../projections/models/duplicates.ts"
import { jobsModel } from "../../projections/models/jobs.ts"
import {
  formatPosition,
  isBefore,
  type Json,
  type JsonObject,
  type RecordedEvent
} from "../../domain/events/recorded-event.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import { eventsOfBranch } from "./trail-branch.ts"
import { eventsOfRequest } from "./trail-request.ts"
import {
  courseOf,
  eventsAround,
  eventsAroundAll,
  eventsOfEach,
  slipJobs,
  slipStreams,
  verdictOf
} from "./trail-sources.ts"
import { historyOf, loggedSubject, type TrailRequest, type TrailSubject } from "./trail-subject.ts"
import { withoutQuery } from "../callbacks/without-query.ts"

/** What happened to a subject. */
export interface Trail {
  /** Oldest first. */
  readonly events: ReadonlyArray<RecordedEvent>
  /** There is more than is told: of a branch the latest is, of a request some of it. */
  readonly isTruncated: boolean
}

/** An event of a trail as it is printed and sent (docs/spec/http.md, "Trail query"). */
export const trailItem = ({ data, metadata, position, revision, stream, type }: RecordedEvent) => ({
  position: formatPosition(position),
  stream,
  revision,
  type,
  at: metadata.at,
  actor: metadata.actor,
  data
})

/** Nothing is known of the subject, or was by the moment that was asked for. */
export class TrailEmpty extends Data.TaggedError("TrailEmpty")<{}> {}

const whole = (events: ReadonlyArray<RecordedEvent>): Trail => ({ events, isTruncated: false })

const eventsOfVerification = Effect.fnUntraced(function* (id: string, upTo: number | undefined) {
  const events = [...(yield* courseOf(id, upTo)), ...(yield* verdictOf(id, upTo))]
  return whole([...events, ...(yield* eventsAround(id, upTo)), ...(yield* eventsAroundAll(events, upTo))])
})

const eventsOfJob = Effect.fnUntraced(function* (id: string, upTo: number | undefined) {
  return (yield* courseOf(id, upTo)).length === 0 ? whole([]) : yield* eventsOfVerification(id, upTo)
})

const eventsOfSlip = Effect.fnUntraced(function* (
  subject: Extract<TrailSubject, { readonly _tag: "Slip" }>,
  upTo: number | undefined
) {
  const { sendingBank, transRef } = subject
  const { id: digest } = yield* loggedSubject(subject)
  const events = [
    ...(yield* eventsOfEach(yield* slipStreams(sendingBank, transRef), (stream) => historyOf(stream, upTo))),
    ...(yield* eventsOfEach(yield* slipJobs(sendingBank, transRef), (job) => courseOf(job, upTo))),
    ...(yield* historyOf(streamOf.forgetting(digest), upTo))
  ]
  return whole([...events, ...(yield* eventsAround(digest, upTo)), ...(yield* eventsAroundAll(events, upTo))])
})

const eventsOf = (subject: TrailSubject | TrailRequest, upTo: number | undefined) => {
  switch (subject._tag) {
    case "Job":
      return eventsOfJob(subject.id, upTo)
    case "Verification":
      return eventsOfVerification(subject.id, upTo)
    case "Slip":
      return eventsOfSlip(subject, upTo)
    case "Branch":
      return eventsOfBranch(subject.id, upTo)
    case "Request":
      return eventsOfRequest(subject.id, upTo)
  }
}

const inOrder = (one: RecordedEvent, other: RecordedEvent): number => isBefore(one.position, other.position) ? -1 : 1

/** In the order of the log; what is told for several reasons is told once. */
const sorted = (events: ReadonlyArray<RecordedEvent>): ReadonlyArray<RecordedEvent> => {
  const byPosition = new Map(events.map((event) => [formatPosition(event.position), event]))
  return [...byPosition.values()].sort(inOrder)
}

/** The fields of events in which URLs stand that somebody chose. */
const urlFields = ["url", "callbackUrl"]

/** The data of an event with its URLs without their query, which may be a secret. */
export const withoutQueries = (data: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(data).map((
      [name, value]
    ): [string, Json] => [name, urlFields.includes(name) && typeof value === "string" ? withoutQuery(value) : value])
  )

/** Whoever asks is a person, and waits rather than ask again. */
const PATIENCE_MILLIS = 5_000

/** Waits for the read models that say where to look. */
export const trailReady = caughtUp([duplicatesModel, jobsModel, bankAccountsModel], PATIENCE_MILLIS)

/** The same as `trail`, every event just as it stands in the log. */
export const trailAsLogged = Effect.fnUntraced(function* (subject: TrailSubject | TrailRequest, upTo?: number) {
  yield* trailReady
  const { events, isTruncated } = yield* eventsOf(subject, upTo)
  if (events.length === 0) return yield* new TrailEmpty()
  return { events: sorted(events), isTruncated } satisfies Trail
})

/**
 * Everything that happened to a subject or because of a request, or had happened by a moment (`upTo`, milliseconds since
 * 1970), oldest first, URLs without their query; fails with `TrailEmpty` when nothing had. What is sealed stays sealed.
 */
export const trail = Effect.fn("trail")(function* (subject: TrailSubject | TrailRequest, upTo?: number) {
  const { events, isTruncated } = yield* trailAsLogged(subject, upTo)
  const told: Trail = { events: events.map((event) => ({ ...event, data: withoutQueries(event.data) })), isTruncated }
  return told
})
