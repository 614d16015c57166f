import { Effect } from "effect"
import { type BranchAt, branchAt } from "./state-at-branch.ts"
import { type JobAt, jobAt } from "./state-at-job.ts"
import { type SlipAt, slipAt } from "./state-at-slip.ts"
import { type VerificationAt, verificationAt } from "./state-at-verification.ts"
import { trailReady } from "./trail.ts"
import type { TrailSubject } from "./trail-subject.ts"

/** What a subject was at a moment. */
export type StateAt = SlipAt | JobAt | VerificationAt | BranchAt

const foldedAt = (subject: TrailSubject, at: number) => {
  switch (subject._tag) {
    case "Job":
      return jobAt(subject.id.toLowerCase(), at)
    case "Verification":
      return verificationAt(subject.id.toLowerCase(), at)
    case "Slip":
      return slipAt(subject.sendingBank, subject.transRef, at)
    case "Branch":
      return branchAt(subject.id.toLowerCase(), at)
  }
}

/**
 * The state of a subject at any moment, in milliseconds since 1970: folded from the events up to it by the code that
 * decides on them. Undefined when there was nothing of it yet. Nothing in it is personal data.
 */
export const stateAt = Effect.fn("stateAt")(function* (subject: TrailSubject, at: number) {
  yield* trailReady
  const state: StateAt | undefined = yield* foldedAt(subject, at)
  return state
})
