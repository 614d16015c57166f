import { Effect } from "effect"
import type { JsonObject, Position, RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Write } from "../../ports/read-models.ts"
import { filteredPageOfAll, type Page, type PageQuery } from "../engine/page.ts"
import type { Projection } from "../engine/projection.ts"
import { OrderedSet } from "../engine/read-model.ts"
import { caughtUp } from "../engine/readiness.ts"
import type { Place } from "./trail-index.ts"

/**
 * The read model `audit`: the events that operators caused, by time, operator, type and subject. It is an index: the
 * events themselves are read from the log. An event of any type belongs to it when its actor is an operator.
 */
export const auditModel = { name: "audit", version: 2 } as const

/** Names and ids count in any case. */
const keyOf = (text: string): string => text.toLowerCase()

/** All sets have the same members, `memberOf`, scored by the time of the event in milliseconds. */
export const auditSets = {
  all: new OrderedSet(auditModel, "all"),
  byOperator: (name: string) => new OrderedSet(auditModel, `operator:${keyOf(name)}`),
  byKind: (type: string) => new OrderedSet(auditModel, `kind:${type}`),
  bySubject: (id: string) => new OrderedSet(auditModel, `subject:${keyOf(id)}`)
} as const

/** What an event is about, such as `branch` and its id. The id of a slip is the digest in the names of its streams. */
export interface AuditSubject {
  readonly kind: string
  readonly id: string
}

const textOf = (data: JsonObject, field: string): string | undefined => {
  const value = data[field]
  return typeof value === "string" ? value : undefined
}

/**
 * The operator of an event: the name, the `by` of a disclosure from before operators had names, and the interface for
 * other events from then (`api`, `cli`, `console`).
 */
export const operatorOf = ({ data, metadata: { actor }, type }: RecordedEvent): string =>
  actor.operator ?? (type === "PersonalDataRevealed" ? textOf(data, "by") : undefined) ?? actor.id

const namedSubject = ({ subject }: JsonObject): AuditSubject | undefined => {
  if (typeof subject !== "object" || subject === null || Array.isArray(subject)) return undefined
  const { id, kind } = subject as JsonObject
  return typeof id === "string" && typeof kind === "string" ? { kind, id } : undefined
}

const subject = (kind: string, id: string | undefined): AuditSubject | undefined =>
  id === undefined || id === "" ? undefined : { kind, id }

/** The subject of an event, by its stream; undefined when it is the whole log, or everything of its kind. */
export const subjectOf = ({ data, stream }: RecordedEvent): AuditSubject | undefined => {
  const dash = stream.indexOf("-")
  const [kind, id] = dash === -1 ? [stream, ""] : [stream.slice(0, dash), stream.slice(dash + 1)]
  switch (kind) {
    case "callback":
      return { kind: "job", id }
    case "forgotten":
      return { kind: "slip", id }
    case "bankAccount":
      return subject("bankAccount", textOf(data, "accountId"))
    case "reveal":
    case "export":
      return namedSubject(data) ?? subject("branch", textOf(data, "branchId"))
    case "signInLink":
      return subject("branch", textOf(data, "branchId"))
    case "console":
      return subject("session", textOf(data, "sessionId"))
    case "operators":
      return subject("operator", textOf(data, "name") ?? textOf(data, "operatorId"))
    case "act":
      return namedSubject(data)
        ?? subject("projection", textOf(data, "projection"))
        ?? subject("job", textOf(data, "jobId"))
        ?? subject("host", textOf(data, "host"))
    case "oidcName":
      return subject("operator", textOf(data, "name"))
    case "refusal":
      return subject("operation", textOf(data, "operation"))
    default:
      return { kind, id }
  }
}

/** Fields with the id of something that an event concerns besides its subject. */
const idFields = ["accountId", "serviceId", "branchId", "jobId", "verificationId", "operatorId", "sessionId"] as const

/** Every id under which an event is found. */
const idsOf = (event: RecordedEvent): ReadonlyArray<string> => {
  const { data } = event
  const { branchIds, jobIds } = data
  const lists = [branchIds, jobIds].flatMap((ids) => Array.isArray(ids) ? ids : [])
  const ids = [subjectOf(event)?.id, ...idFields.map((field) => textOf(data, field)), ...lists]
  return [...new Set(ids.filter((id) => typeof id === "string").map(keyOf))]
}

/** An entry of the audit. */
export interface AuditEntry extends Place {
  readonly kind: string
  readonly operator: string
}

/** The digits of the largest position. */
const POSITION_DIGITS = 20

/**
 * The member of an entry. It begins with the position, so that entries of one millisecond are in the order of the log. No
 * name of a stream or a type contains a space. The name of an operator may, so it comes last.
 */
const memberOf = ({ kind, operator, revision, stream }: AuditEntry, { commit }: Position): string =>
  `${commit.toString().padStart(POSITION_DIGITS, "0")} ${stream} ${revision} ${kind} ${operator}`

const entryOfMember = (member: string): AuditEntry => {
  const [, stream = "", revision, kind = "", ...operator] = member.split(" ")
  return { stream, revision: Number(revision), kind, operator: operator.join(" ") }
}

const entryOf = (event: RecordedEvent): ReadonlyArray<Write> => {
  const { metadata: { actor, at }, position, revision, stream, type: kind } = event
  if (actor.kind !== "admin") return []
  const operator = operatorOf(event)
  const member = memberOf({ stream, revision, kind, operator }, position)
  const sets = [
    auditSets.all,
    auditSets.byOperator(operator),
    auditSets.byKind(kind),
    ...idsOf(event).map(auditSets.bySubject)
  ]
  return sets.map((set) => set.add(member, at))
}

export const auditProjection: Projection = {
  ...auditModel,
  streams: [
    "account-",
    "service-",
    "branch-",
    "bankAccount-",
    "callback-",
    "forgotten-",
    "reveal-",
    "export-",
    "console-",
    "operators",
    "session-",
    "refusal-",
    "signInLink-",
    "act-",
    "oidcName-"
  ],
  when: entryOf
}

/** Which entries to list; undefined is every one. */
export interface AuditFilter {
  /** A name, or an interface for events from before operators had names. In any case. */
  readonly operator: string | undefined
  /** The type of the events. */
  readonly kind: string | undefined
  /** An id of what the events are about; a slip by its digest. In any case. */
  readonly subject: string | undefined
  /** Unix milliseconds, both included. */
  readonly from: number | undefined
  readonly to: number | undefined
}

/** The set to read: the one that is expected to have the fewest entries. The other filters apply to its members. */
const setOf = ({ kind, operator, subject: about }: AuditFilter): OrderedSet => {
  if (about !== undefined) return auditSets.bySubject(about)
  if (operator !== undefined) return auditSets.byOperator(operator)
  return kind === undefined ? auditSets.all : auditSets.byKind(kind)
}

/**
 * A page of entries by time; the newest first by default. With several filters it can have fewer entries than `limit`,
 * even none, while there is a next one: then it examines `MOST_EXAMINED` members.
 */
export const auditPage = Effect.fn("auditPage")(function* (
  { cursor, from, limit, order = "newest", to, ...filter }: AuditFilter & PageQuery
) {
  yield* caughtUp([auditModel])
  const { kind, operator } = filter
  const passes = (member: string): boolean => {
    const entry = entryOfMember(member)
    return (kind === undefined || entry.kind === kind)
      && (operator === undefined || keyOf(entry.operator) === keyOf(operator))
  }
  const isExact = Object.values(filter).filter((value) => value !== undefined).length < 2
  const { items, nextCursor } = yield* filteredPageOfAll(
    [setOf({ ...filter, from, to })],
    { cursor, from, limit, order, to },
    isExact ? undefined : passes
  )
  return { items: items.map(({ member }) => entryOfMember(member)), nextCursor } satisfies Page<AuditEntry>
})
