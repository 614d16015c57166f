import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { slips } from "../../domain/events/aggregates.ts"
import type { NewEvent } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { historyOf } from "../../application/trail/trail-sources.ts"
import { fold } from "../../domain/decider.ts"
import { infoFinding } from "../figure.ts"
import { ratioOf } from "../http/laps.ts"
import { perSecond } from "../store/lap.ts"
import { rate } from "../store/log.ts"
import { slipVerified } from "../../test/support/slip-events.ts"

/** Verifications of one slip. Real streams are not longer. */
const VERIFICATIONS = 20_000
const EVENTS_PER_APPEND = 1_000

const verifiedAgain = ({ data, metadata }: NewEvent): NewEvent => {
  const verificationId = randomUUID()
  const { at, branchId, charged, expectedAmount, isAmountMatched, month, remark } = data
  return {
    id: randomUUID(),
    type: "SlipVerifiedAgain",
    data: { verificationId, branchId, at, month, charged, remark, expectedAmount, isAmountMatched } as NewEvent["data"],
    metadata: { ...metadata, causationId: verificationId }
  }
}

/** Compares folding the state of a slip at a moment with only reading its events. */
export const measureAt = Effect.fnUntraced(function* (rounds: number) {
  const store = yield* EventStore
  const { event, stream } = slipVerified()
  yield* store.append(stream, "no-stream", [event])
  for (let revision = 0; revision < VERIFICATIONS - 1; revision += EVENTS_PER_APPEND) {
    const events = Array.from(
      { length: Math.min(EVENTS_PER_APPEND, VERIFICATIONS - 1 - revision) },
      () => verifiedAgain(event)
    )
    yield* store.append(stream, revision, events)
  }
  const folded = Effect.map(
    historyOf(stream, Date.now()),
    (events) => fold(slips.decider, events.map(slips.codec.decode))
  )
  const laps = { folded: new Array<number>(), read: new Array<number>() }
  for (let round = 0; round < rounds; round++) {
    laps.folded.push(yield* perSecond(VERIFICATIONS, folded))
    laps.read.push(yield* perSecond(VERIFICATIONS, store.readStream(stream)))
  }
  return infoFinding(
    {
      what: `the state at a moment, folded from ${VERIFICATIONS.toLocaleString("en-US")} events`,
      measured: rate(laps.folded),
      baseline: `${rate(laps.read)} read`
    },
    ratioOf(laps.folded, laps.read)
  )
})
