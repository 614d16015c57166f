import { Clock, Effect } from "effect"
import { recordDisclosure } from "../../../application/erasure/record-disclosure.ts"
import { stateAt } from "../../../application/trail/state-at.ts"
import {
  loggedSubject,
  trail,
  trailItem,
  type TrailRequest,
  type TrailSubject
} from "../../../application/trail/trail.ts"
import { openEvent } from "../../../application/trail/sealed-fields.ts"
import { isoTime } from "../../../domain/time.ts"
import type { Exchange } from "../endpoint.ts"
import { queryOf } from "../page.ts"
import { type AdminRoute, operationOf } from "./admin-route.ts"
import { invalid } from "../../input/decode.ts"
import { decodeTrailQuery } from "../../input/operator-queries.ts"
import { ApiError } from "../api/failures.ts"

const unknown = () => new ApiError({ code: "NOT_FOUND", message: "Nothing is known of it, or was by then" })

const record = Effect.fnUntraced(function* (exchange: Exchange, subject: TrailSubject, upTo: number | undefined) {
  yield* recordDisclosure({
    by: "admin-api",
    command: "GET /admin/v1/trail",
    from: null,
    to: upTo === undefined ? null : isoTime(upTo),
    branchId: null,
    subject: yield* loggedSubject(subject)
  }, operationOf(exchange))
})

const partial = ({ _tag }: TrailSubject | TrailRequest): string =>
  `Trail; ${_tag === "Request" ? "a part" : "the latest"} of it, there is more`

/** A look at somebody's data stands in that one's own story: whoever asks by request has to say whose it is. */
const ownStory = (subject: TrailSubject | TrailRequest) =>
  subject._tag === "Request"
    ? Effect.fail(
      invalid({ path: "reveal", message: "Not by request: ask for a job, slip or verification that its events name" })
    )
    : Effect.succeed(subject)

/** What happened to a job, a slip, a verification or a branch, and what it was at a moment; or what a request led to. */
export const trailRoutes = (route: AdminRoute) =>
  route(
    "GET",
    "/trail",
    Effect.fnUntraced(function* (exchange) {
      const { at, isRevealed, subject } = yield* decodeTrailQuery(Object.fromEntries(queryOf(exchange)))
      const revealed = isRevealed ? yield* ownStory(subject) : undefined
      const { events, isTruncated } = yield* Effect.catchTag(
        trail(subject, at),
        "TrailEmpty",
        () => Effect.fail(unknown())
      )
      const state = subject._tag === "Request"
        ? undefined
        : yield* stateAt(subject, at ?? (yield* Clock.currentTimeMillis))
      if (revealed !== undefined) yield* record(exchange, revealed, at)
      const shown = isRevealed ? yield* Effect.forEach(events, openEvent) : events
      return {
        message: isTruncated ? partial(subject) : "Trail",
        data: { events: shown.map(trailItem), state: state ?? null, truncated: isTruncated }
      }
    })
  )
