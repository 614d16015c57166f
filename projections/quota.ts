import { slips } from "../application/aggregates.ts"
import { quotaModel, quotaSets } from "../application/models/quota.ts"
import type { RecordedEvent } from "../application/ports/event-store.ts"
import type { Write } from "../application/ports/read-models.ts"
import type { Projection } from "./projection.ts"

const writes = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const { branchId, charged, month, verificationId } = slips.codec.decode(recorded)
  if (!charged) return []
  return [
    {
      _tag: "AddMember",
      set: quotaSets.month(branchId, month),
      member: verificationId,
      score: Date.parse(recorded.metadata.at)
    },
    { _tag: "AddMember", set: quotaSets.months(branchId), member: month, score: Number(month.replace("-", "")) }
  ]
}

/** What every branch was charged, month by month. Members, not counters: counting one charge twice is impossible. */
export const quotaProjection: Projection = { ...quotaModel, streams: ["slip-"], when: writes }
