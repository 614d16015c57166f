import { Effect } from "effect"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { Directory } from "../../application/provisioning/directory.ts"
import type { TrailRequest, TrailSubject } from "../../application/trail/trail-subject.ts"
import { nameOf } from "./views.ts"
import { printable } from "./messages.ts"

const branchOf = ({ data: { branchId } }: RecordedEvent): ReadonlyArray<string> =>
  typeof branchId === "string" ? [branchId] : []

const branchesOf = (subject: TrailSubject, events: ReadonlyArray<RecordedEvent>): Iterable<string> =>
  subject._tag === "Branch" ? [subject.id.toLowerCase()] : new Set(events.flatMap(branchOf))

/**
 * Whose a story is: a line for each branch that its events are of, with its service, by the names that they have now.
 * None for a request, which has no owner before something came of it.
 */
export const whose = Effect.fnUntraced(function* (
  subject: TrailSubject | TrailRequest,
  events: ReadonlyArray<RecordedEvent>
) {
  if (subject._tag === "Request") return []
  const directory = yield* Directory
  const lines = yield* Effect.forEach(
    branchesOf(subject, events),
    Effect.fnUntraced(function* (id) {
      const branch = yield* directory.branch(id)
      const service = branch === undefined ? undefined : yield* directory.service(branch.serviceId)
      if (branch === undefined || service === undefined) return []
      return [printable(`Branch ${nameOf(branch)} of service ${nameOf(service)}`)]
    })
  )
  return lines.flat()
})
