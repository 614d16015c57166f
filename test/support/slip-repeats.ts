import { randomUUID } from "node:crypto"
import type { NewEvent, RecordedEvent } from "../../domain/events/recorded-event.ts"

/** Events of free repeats after the first verification of a slip. Their ids are `again-0`, `again-1` and so on. */
export const repeatsOf = (first: RecordedEvent, count: number): ReadonlyArray<NewEvent> => {
  const { at = "", branchId = "", month = "" } = first.data
  return Array.from({ length: count }, (_, index): NewEvent => ({
    id: randomUUID(),
    type: "SlipVerifiedAgain",
    data: {
      verificationId: `again-${index}`,
      branchId,
      at,
      month,
      charged: false,
      remark: null,
      expectedAmount: null,
      isAmountMatched: null,
      matching: null
    },
    metadata: { ...first.metadata, causationId: `again-${index}` }
  }))
}
