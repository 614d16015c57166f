import { Data, Effect } from "effect"
import type { DisclosureSubject } from "../../domain/disclosure.ts"
import { formatPosition, type Json, type JsonObject, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import { bankAccountsModel } from "../../projections/models/bank-accounts.ts"
import { duplicatesModel } from "../../projections/models/duplicates.ts"
import { trailIndexModel } from "../../projections/models/trail-index.ts"
import { jobsModel } from "../../projections/models/jobs.ts"
import { verificationsModel } from "../../projections/models/verifications.ts"
import { withoutQuery } from "../../domain/callback.ts"
import { slipDigest } from "../sealing/sealed-data.ts"
import { branchSections } from "./trail-branch.ts"
import { readPage, type TrailPage, type TrailPageQuery } from "./trail-page.ts"
import { jobSections, requestSections, verificationSections } from "./trail-sections.ts"
import { slipSections } from "./trail-slip.ts"

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
export class TrailEmpty extends Data.TaggedError("TrailEmpty")<{
  /** The time of the first event after the given time; undefined without a time or such an event. */
  readonly firstAt?: string | undefined
}> {}

const sectionsOf = (subject: TrailSubject | TrailRequest, upTo: number | undefined) => {
  switch (subject._tag) {
    case "Job":
      return Effect.succeed(jobSections(subject.id.toLowerCase()))
    case "Verification":
      return Effect.succeed(verificationSections(subject.id.toLowerCase()))
    case "Slip":
      return slipSections(subject.sendingBank, subject.transRef, upTo)
    case "Branch":
      return branchSections(subject.id, upTo)
    case "Request":
      return requestSections(subject.id)
  }
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

/** The event with URLs that have no query. */
export const withoutSecrets = (event: RecordedEvent): RecordedEvent => ({ ...event, data: withoutQueries(event.data) })

/** Long, because a person reads the trail and prefers waiting to an error. */
const CATCH_UP_TIMEOUT_MILLIS = 5_000

/** Waits until the read models that locate events have caught up with the log. */
export const trailReady = caughtUp(
  [duplicatesModel, trailIndexModel, verificationsModel, jobsModel, bankAccountsModel],
  CATCH_UP_TIMEOUT_MILLIS
)

/** A page of `trail`, but the events are exactly as the log holds them. Never fails with `TrailEmpty`. */
export const trailPageAsLogged = Effect.fnUntraced(
  function* (subject: TrailSubject | TrailRequest, query: TrailPageQuery) {
    yield* trailReady
    return yield* readPage(yield* sectionsOf(subject, query.upTo), query)
  }
)

/**
 * A page of the events of a subject or a request (docs/spec/http.md, "Trail query"). URLs lose their query, and sealed
 * data stays sealed. Fails with `TrailEmpty` when there are no events.
 */
export const trail = Effect.fn("trail")(function* (subject: TrailSubject | TrailRequest, query: TrailPageQuery) {
  let { events, nextCursor } = yield* trailPageAsLogged(subject, query)
  // Items without events may come first, such as jobs that were accepted after the given time.
  while (query.cursor === undefined && events.length === 0 && nextCursor !== null) {
    ;({ events, nextCursor } = yield* trailPageAsLogged(subject, { ...query, cursor: nextCursor }))
  }
  if (query.cursor === undefined && events.length === 0) {
    const { upTo = Infinity } = query
    const later = upTo === Infinity ? [] : (yield* trailPageAsLogged(subject, { limit: 100, upTo: undefined })).events
    const first = later.find(({ metadata }) => Date.parse(metadata.at) > upTo)
    return yield* new TrailEmpty({ firstAt: first?.metadata.at })
  }
  return { events: events.map(withoutSecrets), nextCursor } satisfies TrailPage
})
