import { Effect, Schema } from "effect"
import type { Redelivery } from "../../../application/callbacks/redeliver-callbacks.ts"
import { invalid } from "../api/api-error.ts"
import type { Fields } from "../body.ts"
import { decodeFields } from "../decode-fields.ts"
import { Host, Id, Moment } from "./fields.ts"

const decode = decodeFields(Schema.Struct({
  jobId: Schema.optionalKey(Id),
  host: Schema.optionalKey(Host),
  from: Schema.optionalKey(Moment),
  to: Schema.optionalKey(Moment)
}))

/**
 * What is to be sent again: `{jobId}`, `{host}` or `{from, to}`, exactly one of the three (docs/spec/http.md, "Admin
 * API").
 */
export const decodeRedelivery = Effect.fnUntraced(function* (fields: Fields) {
  const { from, host, jobId, to } = yield* decode(fields)
  const isBetween = from !== undefined || to !== undefined
  if ([jobId !== undefined, host !== undefined, isBetween].filter(Boolean).length !== 1) {
    return yield* invalid({ path: "", message: "Give exactly one of jobId, host, or from and to" })
  }
  if (jobId !== undefined) return { _tag: "OfJob", jobId } satisfies Redelivery
  if (host !== undefined) return { _tag: "AtHost", host } satisfies Redelivery
  if (from === undefined) return yield* invalid({ path: "from", message: "Expected beside to" })
  if (to === undefined) return yield* invalid({ path: "to", message: "Expected beside from" })
  if (to < from) return yield* invalid({ path: "to", message: "Expected a time that is not before from" })
  return { _tag: "Between", from: Date.parse(from), to: Date.parse(to) } satisfies Redelivery
})
