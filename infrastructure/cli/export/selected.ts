import { Effect } from "effect"
import { streamOf } from "../../../domain/events/streams.ts"
import { branches } from "../../../domain/events/aggregates.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { type ExportAsked, selectedOfLog, selectedOfTrail } from "../../../application/trail/export.ts"
import { loggedSubject, type TrailRequest, type TrailSubject } from "../../../application/trail/trail-subject.ts"
import { answerIsNo } from "../exit.ts"
import { note } from "../output.ts"
import { more } from "../trail-subject.ts"

/** A branch that there is not has no events: that would look like a branch that did nothing. */
const knownBranch = Effect.fnUntraced(function* (branchId: string) {
  const [created] = yield* (yield* EventStore).readStream(streamOf.branch(branchId), { limit: 1 })
  if (created === undefined || branches.codec.decode(created)._tag !== "BranchCreated") {
    return yield* answerIsNo(`there is no branch ${branchId}`)
  }
})

/** What is looked for in all of the log: everything, or what is a branch's. */
export const fromLog = Effect.fnUntraced(function* (asked: ExportAsked) {
  if (asked.branchId !== undefined) yield* knownBranch(asked.branchId)
  return selectedOfLog(asked)
})

/** What the story of a subject or a request tells of. */
export const fromTrail = Effect.fnUntraced(function* (
  subject: TrailSubject | TrailRequest,
  bounds: Pick<ExportAsked, "from" | "to">
) {
  const { isTruncated, selection } = yield* Effect.catchTag(
    selectedOfTrail(subject, bounds),
    "TrailEmpty",
    () => Effect.fail(answerIsNo("nothing is known of it"))
  )
  if (isTruncated) yield* note(more(subject))
  return selection
})

/** What a subject or a request is called where no personal data may stand. */
export const namedInTrail = Effect.fnUntraced(function* (subject: TrailSubject | TrailRequest) {
  return subject._tag === "Request" ? { kind: "request", id: subject.id } : yield* loggedSubject(subject)
})
