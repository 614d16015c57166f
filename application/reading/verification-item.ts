import { Effect } from "effect"
import { toBaht } from "../../domain/money.ts"
import { slips } from "../../domain/events/aggregates.ts"
import type { Sealed } from "../../domain/sealed.ts"
import { TRUEMONEY } from "../../domain/slip/wallet-payload.ts"
import { isoTime } from "../../domain/time.ts"
import { EventStore } from "../../ports/event-store.ts"
import type { Member } from "../../ports/read-models.ts"
import { placeOfVerificationCaughtUp } from "../../projections/models/duplicates.ts"
import { isSuccessClass, parseEntry } from "../../projections/models/verifications.ts"
import type { VerificationSummary } from "../views/verification.ts"
import { failVerificationMissing } from "../events/stream-changed.ts"
import { acceptanceOf, duplicateOf, isWithin, outcomeOf, type VerificationFilter } from "./verification-filter.ts"

/** Streams and rows read at a time. */
export const CONCURRENT_READS = 10

/** The event of a verification with a slip, and the first event of the slip. */
const eventsOf = Effect.fnUntraced(function* (verificationId: string) {
  const row = yield* placeOfVerificationCaughtUp(verificationId)
  if (row === undefined) return yield* Effect.die(`the index has no verification ${verificationId}`)
  const { readStream } = yield* EventStore
  const read = (from: number) => readStream(row.stream, { from, limit: 1 })
  const [event, first = event] = [...yield* read(row.revision), ...row.revision === 0 ? [] : yield* read(0)]
    .map(slips.codec.decode)
  if (event === undefined || first?._tag !== "SlipVerified") {
    return yield* failVerificationMissing(row.stream, verificationId)
  }
  return { event, first }
})

/** A member of a list, with its sealed remark; undefined when its amount, which an old duplicate lacks, does not pass. */
export const summaryOf = Effect.fnUntraced(function* ({ member, score }: Member, filter: VerificationFilter) {
  const { verificationClass, verificationId } = parseEntry(member)
  const common = {
    verificationId,
    at: isoTime(score),
    outcome: outcomeOf(verificationClass),
    isDuplicate: duplicateOf(verificationClass),
    accepted: acceptanceOf(verificationClass)
  }
  const none: Sealed | null = null
  if (!isSuccessClass(verificationClass)) {
    const summary: VerificationSummary = { ...common, amount: null, charged: false, kind: null }
    return { summary, remark: none }
  }
  const { event, first } = yield* eventsOf(verificationId)
  if (!isWithin(first.amount, filter)) return undefined
  const summary: VerificationSummary = {
    ...common,
    amount: toBaht(first.amount),
    charged: event.charged,
    kind: first.sendingBank === TRUEMONEY ? "truemoney" : "bank"
  }
  return { summary, remark: event.remark }
})
