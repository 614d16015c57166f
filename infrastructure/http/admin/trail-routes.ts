import { Clock, Effect, Layer } from "effect"
import { eraseSlip, recordDisclosure } from "../../../application/erasure/erase-slip.ts"
import type { Operation } from "../../../application/provisioning/operator-command.ts"
import { openEvent } from "../../../application/trail/sealed-fields.ts"
import { stateAt } from "../../../application/trail/state-at.ts"
import {
  loggedSubject,
  trail,
  trailItem,
  type TrailRequest,
  type TrailSubject
} from "../../../application/trail/trail.ts"
import { isoTime } from "../../../domain/time.ts"
import type { AdminRoute } from "./admin-route.ts"
import { apiError } from "../api/failures.ts"
import { adminOperations as operations } from "../api/operations/admin.ts"
import { RETRY_SOON } from "../application-failures.ts"
import { withMessage } from "../operation-endpoint.ts"
import { invalid } from "../../input/decode.ts"
import { erasureOf, trailQueryOf } from "../../input/operator-queries.ts"
import type { VaultError } from "../../../ports/vault.ts"

const unknown = () => apiError("NOT_FOUND", { message: "Nothing is known of it, or was by then" })

const record = Effect.fnUntraced(function* (operation: Operation, subject: TrailSubject, upTo: number | undefined) {
  yield* recordDisclosure({
    by: "admin-api",
    command: "GET /admin/v1/trail",
    from: null,
    to: upTo === undefined ? null : isoTime(upTo),
    branchId: null,
    subject: yield* loggedSubject(subject)
  }, operation)
})

const partial = ({ _tag }: TrailSubject | TrailRequest): string =>
  `Trail; ${_tag === "Request" ? "a part" : "the latest"} of it, there is more`

/** A disclosure stands in the trail of its subject, so a request must be asked for by the subject of its events. */
const disclosed = (subject: TrailSubject | TrailRequest) =>
  subject._tag === "Request"
    ? Effect.fail(
      invalid({ path: "reveal", message: "Not by request: ask for a job, slip or verification that its events name" })
    )
    : Effect.succeed(subject)

const keysRemain = (error: VaultError) =>
  Effect.andThen(
    Effect.logError("the keys of a slip that is to be forgotten could not be destroyed", error),
    Effect.fail(
      apiError("API_SERVER_ERROR", {
        message: error.reason === "unknown-key"
          ? "There are no keys of slips: set SUBJECT_KEYS_FILE"
          : "The keys could not be destroyed: ask again",
        retryAfterSeconds: RETRY_SOON
      })
    )
  )

/** The trail of a subject or a request, and the erasure of a slip's personal data. */
export const trailRoutes = (route: AdminRoute) =>
  Layer.mergeAll(
    route(
      operations.getTrail,
      Effect.fnUntraced(function* ({ operation, query }) {
        const { at, isRevealed, subject } = yield* trailQueryOf(query)
        const revealed = isRevealed ? yield* disclosed(subject) : undefined
        const { events, isTruncated } = yield* Effect.catchTag(
          trail(subject, at),
          "TrailEmpty",
          () => Effect.fail(unknown())
        )
        const state = subject._tag === "Request"
          ? undefined
          : yield* stateAt(subject, at ?? (yield* Clock.currentTimeMillis))
        if (revealed !== undefined) yield* record(operation, revealed, at)
        const shown = isRevealed ? yield* Effect.forEach(events, openEvent) : events
        const data = { events: shown.map(trailItem), state: state ?? null, truncated: isTruncated }
        return isTruncated ? withMessage(partial(subject), data) : data
      })
    ),
    route(
      operations.eraseSlip,
      Effect.fnUntraced(function* ({ body, operation }) {
        const { reason, sendingBank, transRef } = erasureOf(body)
        return yield* eraseSlip(sendingBank, transRef, reason, operation).pipe(
          Effect.catchTags({
            SlipUnknown: () => Effect.fail(apiError("NOT_FOUND", { message: "There is no such slip" })),
            VaultError: keysRemain
          })
        )
      })
    )
  )
