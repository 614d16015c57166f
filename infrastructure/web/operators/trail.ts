import { Clock, Effect } from "effect"
import { recordDisclosure } from "../../../application/erasure/erase-slip.ts"
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
import type * as declared from "../api/operations/admin.ts"
import { invalid } from "../input/decode.ts"
import { trailQueryOf } from "../input/operator-queries.ts"
import type { HandlersOf } from "./handler.ts"

/** How a disclosure names the command: by its side. */
const COMMANDS: Readonly<Record<string, string>> = { cli: "trail show" }

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

/** The trail of a subject or a request. Who may reveal is checked before. */
export const trails = {
  getTrail: Effect.fnUntraced(function* ({ ids, page, query }) {
    const { at, isMasked, isRevealed, subject } = yield* trailQueryOf(query)
    const revealed = isRevealed ? yield* disclosable(subject) : undefined
    const { events, nextCursor } = yield* Effect.catchTag(
      trail(subject, { ...page, upTo: at }),
      "CursorUnknown",
      () => Effect.fail(unknownCursor())
    )
    const state = subject._tag === "Request" || page.cursor !== undefined
      ? undefined
      : yield* stateAt(subject, at ?? (yield* Clock.currentTimeMillis))
    if (revealed !== undefined) {
      yield* recordDisclosure({
        command: COMMANDS[ids.actor.id] ?? "GET /admin/v1/trail",
        from: null,
        to: at === undefined ? null : isoTime(at),
        branchId: null,
        subject: yield* loggedSubject(revealed)
      }, ids)
    }
    const show = isRevealed ? openEvent : isMasked ? maskEvent : Effect.succeed<RecordedEvent>
    const shown = yield* Effect.forEach(events, show)
    return { events: shown.map(trailItem), state: state ?? null, truncated: nextCursor !== null, nextCursor }
  })
} satisfies HandlersOf<Pick<typeof declared.trail, "getTrail">>
