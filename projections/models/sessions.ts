import { Schema } from "effect"
import { signIns } from "../../domain/events/aggregates.ts"
import { OperatorRole } from "../../domain/operators.ts"
import { SignInSource } from "../../domain/sign-in.ts"
import type { Write } from "../../ports/read-models.ts"
import { decoded } from "../engine/decoded.ts"
import type { Projection } from "../engine/projection.ts"
import { OrderedSet, Table } from "../engine/read-model.ts"

/**
 * The read model `sessions`: the sessions of the console that were started. Whether one has ended is decided by the stream
 * `console-sessions`, which every process follows. Sessions leave the model after the retention.
 */
export const sessionsModel = { name: "sessions", version: 1 } as const

const SessionRow = Schema.Struct({
  operator: Schema.String,
  role: OperatorRole,
  source: SignInSource,
  epoch: Schema.Int,
  startedAt: Schema.String,
  expiresAt: Schema.String
})
export type SessionRow = typeof SessionRow.Type

/** By session id. */
export const sessionRows = new Table(sessionsModel, "sessions", SessionRow)

/** A session in an ordered set: its id, and the operator whose set has it too. */
interface SessionMember {
  readonly operator: string
  readonly id: string
}

/** `<operator> <id>`. An id has no space. */
const formatSession = ({ id, operator }: SessionMember): string => `${operator} ${id}`

/** Reads what `formatSession` wrote. */
export const parseSession = (member: string): SessionMember => {
  const space = member.lastIndexOf(" ")
  return { operator: member.slice(0, space), id: member.slice(space + 1) }
}

/** Sessions as `formatSession` writes them, scored by the time of their expiry: all, or those of one operator. */
export const startedSessions = (operator?: string) =>
  new OrderedSet(sessionsModel, operator === undefined ? "all" : `of:${operator}`)

const expired = (member: string): ReadonlyArray<Write> => {
  const { id, operator } = parseSession(member)
  return [sessionRows.delete(id), startedSessions().remove(member), startedSessions(operator).remove(member)]
}

export const sessionsProjection: Projection = {
  ...sessionsModel,
  streams: ["session-"],
  expiring: [{ set: startedSessions().set, expire: expired }],
  when: (recorded) => {
    const { at: startedAt, epoch, expiresAt, operator, role, sessionId, source } = decoded(signIns, recorded)
    const member = formatSession({ operator, id: sessionId })
    return [
      sessionRows.set(sessionId, { operator, role, source, epoch, startedAt, expiresAt }),
      startedSessions().add(member, expiresAt),
      startedSessions(operator).add(member, expiresAt)
    ]
  }
}
