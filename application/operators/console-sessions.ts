import { Clock, Data, Effect } from "effect"
import { type ConsoleSessionsState, isOpen } from "../../domain/console-sessions.ts"
import { consoleSessions, signIns, streamOf } from "../../domain/events/aggregates.ts"
import { ADMIN_TOKEN_NAME, operatorNamed, type OperatorRole, type OperatorsState } from "../../domain/operators.ts"
import type { SignInSource } from "../../domain/sign-in.ts"
import { isoTime } from "../../domain/time.ts"
import { afterCursor, type Page, pageOf, type PageQuery } from "../../projections/engine/page.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import {
  parseSession,
  type SessionRow,
  sessionRows,
  sessionsModel,
  startedSessions
} from "../../projections/models/sessions.ts"
import { makeFollower } from "../events/follow-stream.ts"
import { handleCommand, load } from "../events/handle-command.ts"
import { contextOf, handleOperatorCommand } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"

const STREAM = streamOf.consoleSessions()

/** Reads which sessions have ended, at each run the new events only. */
export const makeEndedSessions = makeFollower(consoleSessions, STREAM)

export type EndedSessions = Effect.Success<typeof makeEndedSessions>

/** A session that starts. Times are in milliseconds since 1970. */
export interface NewSession {
  readonly id: string
  readonly operator: string
  readonly role: OperatorRole
  readonly source: SignInSource
  readonly epoch: number
  readonly startedAt: number
  readonly expiresAt: number
}

/** Records that an operator signed in. A session is given out only after this has succeeded. */
export const recordSignIn = Effect.fn("recordSignIn")(function* (session: NewSession, ids: RequestIds) {
  const { epoch, expiresAt, id, operator, role, source, startedAt } = session
  yield* handleCommand(signIns, streamOf.signIn(id), {
    _tag: "RecordSignIn",
    sessionId: id,
    operator,
    role,
    source,
    epoch,
    at: isoTime(startedAt),
    expiresAt: isoTime(expiresAt)
  }, yield* contextOf(ids))
})

/** Ends one session in every process. `expiresAt` in milliseconds since 1970. */
export const endConsoleSession = Effect.fn("endConsoleSession")(function* (
  { expiresAt, id }: { readonly id: string; readonly expiresAt: number },
  ids: RequestIds
) {
  const end = (at: string) => ({ _tag: "EndSession", sessionId: id, expiresAt: isoTime(expiresAt), at }) as const
  yield* handleOperatorCommand(consoleSessions, STREAM, end, ids)
})

/** There is no such session, or it has left the list. */
export class SessionNotFound extends Data.TaggedError("SessionNotFound") {}

/** Ends any session by its id. */
export const endSession = Effect.fn("endSession")(function* (id: string, ids: RequestIds) {
  const row = yield* sessionRows.getCaughtUp(id)
  if (row === undefined) return yield* new SessionNotFound()
  yield* endConsoleSession({ id, expiresAt: Date.parse(row.expiresAt) }, ids)
})

/** Ends all sessions that have begun until now in every process, or those of one operator. */
export const endAllConsoleSessions = Effect.fn("endAllConsoleSessions")(function* (
  { operator }: { readonly operator?: string },
  ids: RequestIds
) {
  const loaded = yield* load(consoleSessions, STREAM)
  const end = (at: string) => ({ _tag: "EndAllSessions", epoch: loaded.state.epoch + 1, operator, at }) as const
  yield* handleOperatorCommand(consoleSessions, STREAM, end, ids, loaded)
})

/** An open session, as operators see it. Times are ISO 8601, UTC. */
export interface SessionView {
  readonly id: string
  readonly operator: string
  readonly role: OperatorRole
  readonly source: SignInSource
  readonly startedAt: string
  /** When it ends at the latest. It ends earlier when it is not used. */
  readonly expiresAt: string
}

/** Whether the operator of a session still exists. A session of another source is checked by that source. */
const hasOperator = (operators: OperatorsState, { operator, source }: SessionRow): boolean =>
  source === "oidc" || operator === ADMIN_TOKEN_NAME || operatorNamed(operators, operator) !== undefined

const viewOf = (
  id: string,
  { expiresAt, operator, role, source, startedAt }: SessionRow,
  operators: OperatorsState
): SessionView => ({
  id,
  operator,
  role: source === "token" ? operatorNamed(operators, operator)?.role ?? role : role,
  source,
  startedAt,
  expiresAt
})

/**
 * The open sessions, those that expire last first. A page reads `limit` sessions that have not expired: it has fewer when
 * some of them have ended. Sessions that were not used for too long are listed until they expire, because only their
 * cookie has the time of the last use.
 */
export const listSessions = Effect.fn("listSessions")(function* (
  { ended, operators }: { readonly ended: ConsoleSessionsState; readonly operators: OperatorsState },
  { cursor, limit, operator }: PageQuery & { readonly operator?: string | undefined }
) {
  yield* caughtUp([sessionsModel])
  const now = yield* Clock.currentTimeMillis
  const set = startedSessions(operator)
  const members = yield* set.members({ from: now, ...afterCursor(cursor), limit: limit + 1, reverse: true })
  const { items, nextCursor } = pageOf(members, limit)
  const rows = yield* Effect.forEach(items, (member) => {
    const { id } = parseSession(member)
    return Effect.map(sessionRows.get(id), (row) => ({ id, row }))
  })
  return {
    items: rows.flatMap(({ id, row }) =>
      row !== undefined && isOpen(ended, { ...row, id }) && hasOperator(operators, row)
        ? [viewOf(id, row, operators)]
        : []
    ),
    nextCursor
  } satisfies Page<SessionView>
})
