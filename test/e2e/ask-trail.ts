import { Effect } from "effect"
import type { StateAt } from "../../application/trail/state-at.ts"
import type { trailItem } from "../../application/trail/trail.ts"
import { RunningService } from "../support/service.ts"

export interface Trail {
  readonly events: ReadonlyArray<ReturnType<typeof trailItem>>
  readonly state: StateAt | null
  readonly truncated: boolean
  readonly nextCursor: string | null
}

/** Requests a trail from the admin API. */
export const trail = Effect.fnUntraced(function* (query: string) {
  const { admin } = yield* RunningService
  return yield* admin<Trail>("GET", `/trail?${query}`)
})
