import { disclosures, requests, trailExports } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"
import { decoded } from "../engine/decoded.ts"
import type { Projection } from "../engine/projection.ts"
import { FixedSet, type MemberPage, OrderedSet } from "../engine/read-model.ts"

/**
 * The read model `trail-index`: the events of a request, those that belong to its subject, and the ids of callers.
 */
export const trailIndexModel = { name: "trail-index", version: 5 } as const

/** An event by its place. */
export interface Place {
  readonly stream: string
  readonly revision: number
}

// No name of a stream contains a space.
const formatPlace = ({ revision, stream }: Place): string => `${stream} ${revision}`

/** The places that members stand for. */
export const placesOf = (members: ReadonlyArray<string>): ReadonlyArray<Place> =>
  members.map((member) => {
    const [stream = "", revision] = member.split(" ").slice(-2)
    return { stream, revision: Number(revision) }
  })

export const trailSets = {
  /**
   * Places where requests of a subject begin, and of its disclosures, scored by time in milliseconds. For a request, the id is that of
   * the verification, job, batch or account that it led to. For a disclosure, it is that of the verification, job or
   * branch whose personal data was shown, or a slip's digest.
   */
  related: (id: string) => new OrderedSet(trailIndexModel, `related:${id}`),
  /**
   * Places of events of requests. `ofRequest` makes the members. All have the score 0, so the members of one request
   * are adjacent, in the order of their names. A set for each request would need five times the memory.
   */
  requests: new FixedSet(trailIndexModel, "requests"),
  /** Requests by the ids that callers gave them. `ofClientRequest` makes the members. All have the score 0. */
  clientRequests: new FixedSet(trailIndexModel, "clientRequests")
} as const

/**
 * The member for an event of a request. Request ids (`correlationId`) contain no space. In old logs callers chose them,
 * and may have used one id for many requests. An event of a callback is a member only when it asked for a redelivery:
 * otherwise its job leads to it.
 */
export const ofRequest = (requestId: string, place: Place): string => `${requestId} ${formatPlace(place)}`

/** The member for a request with an id of its caller. A caller may use one id for many requests. */
export const ofClientRequest = (clientRequestId: string, requestId: string): string => `${clientRequestId} ${requestId}`

/** Members for the events of a request, in the order of their streams. Ids of requests are case-sensitive. */
export const eventsOfRequestId = (requestId: string, page: MemberPage) =>
  trailSets.requests.beginningWith(`${requestId} `, page)

/** Members for the requests that have an id of their caller and led to events. `requestIdOf` has their ids. */
export const requestsOfClient = (clientRequestId: string, page: MemberPage) =>
  trailSets.clientRequests.beginningWith(`${clientRequestId} `, page)

export const requestIdOf = (member: string): string => member.slice(member.indexOf(" ") + 1)

const related = (ids: ReadonlyArray<string>, recorded: RecordedEvent): ReadonlyArray<Write> =>
  ids.map((id) => trailSets.related(id).add(formatPlace(recorded), recorded.metadata.at))

const ofSubject = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const { stream } = recorded
  if (stream.startsWith("request-")) {
    const event = decoded(requests, recorded)
    return event._tag === "RequestBegun" ? related([event.subjectId], recorded) : []
  }
  if (stream.startsWith("reveal-")) {
    const { branchId, subject } = decoded(disclosures, recorded)
    return related([subject?.id, branchId].filter((id) => typeof id === "string"), recorded)
  }
  if (stream.startsWith("export-")) {
    const { subject } = decoded(trailExports, recorded)
    return subject === null ? [] : related([subject.id], recorded)
  }
  return []
}

/**
 * Whether an event continues a job. Such events have the correlation id of the request that enqueued the job, and the
 * job's first event leads to them. A request for a redelivery has its own id.
 */
const isContinuation = ({ stream, type }: RecordedEvent): boolean =>
  (stream.startsWith("job-") && type !== "VerificationEnqueued")
  || (stream.startsWith("callback-") && type !== "CallbackRedeliveryRequested")

const ofCorrelation = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const { clientRequestId, correlationId } = recorded.metadata
  if (isContinuation(recorded)) return []
  const ofPlace = trailSets.requests.add(ofRequest(correlationId, recorded), 0)
  return clientRequestId === undefined
    ? [ofPlace]
    : [ofPlace, trailSets.clientRequests.add(ofClientRequest(clientRequestId, correlationId), 0)]
}

export const trailIndexProjection: Projection = {
  ...trailIndexModel,
  streams: [
    "slip-",
    "verification-",
    "note-",
    "job-",
    "callback-",
    "request-",
    "reveal-",
    "export-",
    "forgotten-",
    "bankAccount-",
    "branch-",
    "service-",
    "account-"
  ],
  when: (recorded) => [...ofSubject(recorded), ...ofCorrelation(recorded)]
}
