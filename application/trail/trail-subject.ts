import { Effect } from "effect"
import type { DisclosureSubject } from "../../domain/disclosure.ts"
import { slipDigest } from "../sealing/slip-sealing.ts"
import { verificationRows } from "../../projections/models/duplicates.ts"
import { EventStore } from "../../ports/event-store.ts"

/** Whose story is told. The verification of a job has the job's id, and the job belongs to its story. */
export type TrailSubject =
  | { readonly _tag: "Job"; readonly id: string }
  | { readonly _tag: "Verification"; readonly id: string }
  | { readonly _tag: "Slip"; readonly sendingBank: string; readonly transRef: string }
  | { readonly _tag: "Branch"; readonly id: string }

/** A request by its id, as it stands in `X-Request-Id` of its answer: it has a story, and no state. */
export interface TrailRequest {
  readonly _tag: "Request"
  readonly id: string
}

/** The subject as it may stand in the log. */
export const loggedSubject = Effect.fnUntraced(function* (subject: TrailSubject) {
  const logged: DisclosureSubject = subject._tag === "Slip"
    ? { kind: "slip", id: yield* slipDigest(subject.sendingBank, subject.transRef) }
    : { kind: kinds[subject._tag], id: subject.id.toLowerCase() }
  return logged
})

const kinds = { Job: "job", Verification: "verification", Branch: "branch" } as const

/**
 * The events of a stream that had happened by a moment, in milliseconds: its beginning, without a gap, so that it folds
 * to a state that there really was, whatever the clocks of several processes said.
 */
export const historyOf = Effect.fnUntraced(function* (stream: string, upTo = Infinity) {
  const events = yield* (yield* EventStore).readStream(stream)
  const end = events.findIndex(({ metadata }) => Date.parse(metadata.at) > upTo)
  return end === -1 ? events : events.slice(0, end)
})

/** Where a verification stands in the log: the slip's stream, or its own when it found nothing. */
export const streamOfVerification = (id: string) =>
  Effect.map(verificationRows.get(id.toLowerCase()), (row) => row?.stream)
