import { Clock, Effect } from "effect"
import { recordDisclosure } from "../../../../application/erasure/erase-slip.ts"
import type { RequestIds } from "../../../../application/events/handle-command.ts"
import { maskEvent, openEvent } from "../../../../application/trail/sealed-fields.ts"
import { stateAt } from "../../../../application/trail/state-at.ts"
import {
  loggedSubject,
  trail,
  trailItem,
  type TrailRequest,
  type TrailSubject
} from "../../../../application/trail/trail.ts"
import type { RecordedEvent } from "../../../../domain/events/recorded-event.ts"
import { isoTime } from "../../../../domain/time.ts"
import type { AdminRoute } from "./admin-route.ts"
import { apiError } from "../../api/failures.ts"
import { adminOperations as operations } from "../../api/operations/admin.ts"
import { withMessage } from "../operations/operation-reply.ts"
import { invalid } from "../../input/decode.ts"
import { trailQueryOf } from "../../input/operator-queries.ts"

const notFound = () => apiError("NOT_FOUND", { message: "There are no events about it, or none up to that time" })

const recordTrailDisclosure = Effect.fnUntraced(
  function* (ids: RequestIds, subject: TrailSubject, upTo: number | undefined) {
    yield* recordDisclosure({
      command: "GET /admin/v1/trail",
      from: null,
      to: upTo === undefined ? null : isoTime(upTo),
      branchId: null,
      subject: yield* loggedSubject(subject)
    }, ids)
  }
)

const INCOMPLETE = "Trail, incomplete: the next page has more events"

const unknownCursor = () =>
  invalid({ path: "cursor", message: "Expected the nextCursor of an earlier page of this trail" })

/** The trail of its subject records a disclosure. A request has several subjects, so it must be queried by subject. */
const disclosable = (subject: TrailSubject | TrailRequest) =>
  subject._tag === "Request"
    ? Effect.fail(
      invalid({
        path: "reveal",
        message: "Not possible for a request: query a job, slip or verification of its events"
      })
    )
    : Effect.succeed(subject)

/** The trail of a subject or a request. */
export const trailRoutes = (route: AdminRoute) =>
  route(
    operations.getTrail,
    Effect.fnUntraced(function* ({ ids, page, query, requireAct }) {
      const { at, isMasked, isRevealed, subject } = yield* trailQueryOf(query)
      if (isRevealed) yield* requireAct("revealPersonalData")
      const revealed = isRevealed ? yield* disclosable(subject) : undefined
      const { events, nextCursor } = yield* trail(subject, { ...page, upTo: at }).pipe(
        Effect.catchTags({
          TrailEmpty: () => Effect.fail(notFound()),
          CursorUnknown: () => Effect.fail(unknownCursor())
        })
      )
      const state = subject._tag === "Request" || page.cursor !== undefined
        ? undefined
        : yield* stateAt(subject, at ?? (yield* Clock.currentTimeMillis))
      if (revealed !== undefined) yield* recordTrailDisclosure(ids, revealed, at)
      const show = isRevealed ? openEvent : isMasked ? maskEvent : Effect.succeed<RecordedEvent>
      const shown = yield* Effect.forEach(events, show)
      const truncated = nextCursor !== null
      const data = { events: shown.map(trailItem), state: state ?? null, truncated, nextCursor }
      return truncated ? withMessage(INCOMPLETE, data) : data
    })
  )
