import { Effect } from "effect"
import { formatPosition, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import type { Page, PageQuery } from "../../projections/engine/page.ts"
import { type AuditFilter, auditPage, subjectOf } from "../../projections/models/audit.ts"
import { withoutSecrets } from "./trail.ts"

/** An act of an operator: its event, with URLs that have no query, and sealed data still sealed. */
export interface AuditAct {
  readonly operator: string
  readonly event: RecordedEvent
}

/** Events read at a time. */
const CONCURRENCY = 10

/** A page of what operators did (docs/spec/http.md, "Audit"). */
export const listAudit = Effect.fn("listAudit")(function* (query: AuditFilter & PageQuery) {
  const { items, nextCursor } = yield* auditPage(query)
  const { readStream } = yield* EventStore
  const found = yield* Effect.forEach(
    items,
    ({ operator, revision, stream }) =>
      Effect.map(
        readStream(stream, { from: revision, limit: 1 }),
        (events) => events.map((event): AuditAct => ({ operator, event: withoutSecrets(event) }))
      ),
    { concurrency: CONCURRENCY }
  )
  return { items: found.flat(), nextCursor } satisfies Page<AuditAct>
})

/** An act as clients receive it; `summary` says in words what happened. */
export const auditItem = ({ event, operator }: AuditAct, summary: string) => {
  const { metadata: { actor, at, correlationId }, position, type } = event
  return {
    at,
    operator,
    surface: actor.id,
    kind: type,
    summary,
    subject: subjectOf(event) ?? null,
    requestId: correlationId,
    position: formatPosition(position)
  }
}
