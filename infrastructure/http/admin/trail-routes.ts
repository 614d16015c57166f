import { Clock, Effect, Layer } from "effect"
import { erase, recordDisclosure } from "../../../application/erasure/erase-slip.ts"
import type { Operation } from "../../../application/provisioning/operator-command.ts"
import { maskEvent, openEvent } from "../../../application/trail/sealed-fields.ts"
import { stateAt } from "../../../application/trail/state-at.ts"
import {
  loggedSubject,
  trail,
  trailItem,
  type TrailRequest,
  type TrailSubject
} from "../../../application/trail/trail.ts"
import type { RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { isoTime } from "../../../domain/time.ts"
import type { AdminRoute } from "./admin-route.ts"
import { apiError } from "../../api/failures.ts"
import { adminOperations as operations } from "../../api/operations/admin.ts"
import { UNAVAILABLE_RETRY_SECONDS } from "../application-failures.ts"
import { withMessage } from "../operation-reply.ts"
import { invalid } from "../../input/decode.ts"
import { erasureOf, trailQueryOf } from "../../input/operator-queries.ts"
import type { VaultError } from "../../../ports/vault.ts"

const notFound = () => apiError("NOT_FOUND", { message: "There are no events about it, or none up to that time" })

const recordTrailDisclosure = Effect.fnUntraced(
  function* (operation: Operation, subject: TrailSubject, upTo: number | undefined) {
    yield* recordDisclosure({
      command: "GET /admin/v1/trail",
      from: null,
      to: upTo === undefined ? null : isoTime(upTo),
      branchId: null,
      subject: yield* loggedSubject(subject)
    }, operation)
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

const keysNotDestroyed = (error: VaultError) =>
  Effect.andThen(
    Effect.logError("the subject keys of a slip could not be destroyed", error),
    Effect.fail(
      apiError("API_SERVER_ERROR", {
        message: error.reason === "unknown-key"
          ? "This process has no subject keys: set SUBJECT_KEYS_FILE"
          : "The subject keys could not be destroyed. Send the request again",
        retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS
      })
    )
  )

/** The trail of a subject or a request, and the erasure of a slip's personal data. */
export const trailRoutes = (route: AdminRoute) =>
  Layer.mergeAll(
    route(
      operations.getTrail,
      Effect.fnUntraced(function* ({ operation, page, query, requireAct }) {
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
        if (revealed !== undefined) yield* recordTrailDisclosure(operation, revealed, at)
        const show = isRevealed ? openEvent : isMasked ? maskEvent : Effect.succeed<RecordedEvent>
        const shown = yield* Effect.forEach(events, show)
        const truncated = nextCursor !== null
        const data = { events: shown.map(trailItem), state: state ?? null, truncated, nextCursor }
        return truncated ? withMessage(INCOMPLETE, data) : data
      })
    ),
    route(
      operations.eraseSlip,
      Effect.fnUntraced(function* ({ body, operation }) {
        const { reason, subject } = yield* erasureOf(body)
        return yield* erase(subject, reason, operation).pipe(
          Effect.catchTags({
            NothingToErase: ({ subject }) =>
              Effect.fail(
                apiError("NOT_FOUND", { message: `There is no such ${subject === "Slip" ? "slip" : "job"}` })
              ),
            VaultError: keysNotDestroyed
          })
        )
      })
    )
  )
