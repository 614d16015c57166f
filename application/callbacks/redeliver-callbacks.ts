import { Clock, Effect, Result } from "effect"
import { streamOf } from "../../domain/events/streams.ts"
import { callbacks } from "../../domain/events/aggregates.ts"
import { handleCommand } from "../events/handle-command.ts"
import { callbackSets, callbacksModel, parseHostMember } from "../../projections/models/callbacks.ts"
import type { Member } from "../../ports/read-models.ts"
import type { OrderedSet } from "../../projections/engine/read-model.ts"
import { WorkNotifier } from "../processes/work-notifier.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import { isoTime } from "../../domain/time.ts"
import { contextOf, type Operation } from "../provisioning/operator-command.ts"
import { redeliverAnyCallback } from "./redeliver-callback.ts"

/**
 * What is to be sent again: the callback of a job, whatever came of it (`jobId` in lower case); or every callback that
 * was rejected or abandoned, at a host (as `callbackHost` gives it), or between two moments in milliseconds, both
 * included.
 */
export type Redelivery =
  | { readonly _tag: "OfJob"; readonly jobId: string }
  | { readonly _tag: "AtHost"; readonly host: string }
  | { readonly _tag: "Between"; readonly from: number; readonly to: number }

/**
 * Has callbacks sent again and gives how many. Of a job: fails with `JobNotFound` or `NothingToRedeliver`. Of many:
 * everything that had ended when this began, by the clock of this process; what is delivered is left alone. Cut off in
 * between, or failing, it has done a part: made again, it does the others.
 */
export const redeliver = Effect.fn("redeliver")(function* (what: Redelivery, operation: Operation) {
  if (what._tag === "OfJob") {
    yield* redeliverAnyCallback(what.jobId, operation)
    return 1
  }
  const now = yield* Clock.currentTimeMillis
  // What ended before it was asked for is to be found, though the projection may be a moment late.
  yield* caughtUp([callbacksModel])
  // Later ones may be those that were sent again just now.
  const range = what._tag === "AtHost" ? { to: now } : { from: what.from, to: Math.min(what.to, now) }
  let count = 0
  for (const end of ["abandoned", "rejected"] as const) {
    const set = what._tag === "AtHost" ? callbackSets.endedAt(end, what.host) : callbackSets.ended(end)
    count += yield* redeliverAll(set, range, operation)
  }
  return count
})

const PAGE = 500

/** Appends at a time. */
const AT_A_TIME = 16

const redeliverAll = Effect.fnUntraced(function* (
  set: OrderedSet,
  range: { readonly from?: number; readonly to: number },
  operation: Operation
) {
  const hand = yield* WorkNotifier
  let after: Member | undefined
  let count = 0
  while (true) {
    const page = yield* set.members({ ...range, limit: PAGE, ...(after === undefined ? {} : { after }) })
    const asked = yield* Effect.forEach(page, ({ member }) => askAgain(parseHostMember(member).jobId, operation), {
      concurrency: AT_A_TIME
    })
    const jobIds = asked.filter((jobId) => jobId !== undefined)
    yield* hand(jobIds.map((jobId) => ({ process: "callback-delivery", jobId })))
    count += jobIds.length
    after = page.at(-1)
    if (page.length < PAGE) return count
  }
})

/** What the read model thinks rejected or abandoned may have been sent again meanwhile: the stream decides. */
const undelivered: typeof callbacks = {
  ...callbacks,
  decider: {
    ...callbacks.decider,
    decide: (command, state) =>
      state.end === "rejected" || state.end === "abandoned"
        ? callbacks.decider.decide(command, state)
        : Result.succeed([])
  }
}

const askAgain = Effect.fnUntraced(function* (jobId: string, operation: Operation) {
  const command = { _tag: "RequestRedelivery", at: isoTime(yield* Clock.currentTimeMillis) } as const
  const { events } = yield* handleCommand(
    undelivered,
    streamOf.callback(jobId),
    command,
    yield* contextOf(operation)
  ).pipe(Effect.catchTag(["CallbackUnknown", "AttemptSkipped"], Effect.die))
  return events.length === 0 ? undefined : jobId
})
