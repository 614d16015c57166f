import { Clock, Effect } from "effect"
import { adminOperations } from "../api/operations/admin.ts"
import { decodePolicy } from "../input/conditions-request.ts"
import type { Fields } from "../input/decode.ts"
import { decodeErasure, decodeRedelivery } from "../input/operator-queries.ts"
import { decodeStatistics } from "../input/statistics-query.ts"

/** The operations of the admin API, with decoders where a request needs more than its schema. */
export const operations = {
  ...adminOperations,
  setPolicy: { ...adminOperations.setPolicy, decodeBody: decodePolicy },
  redeliverCallbacks: { ...adminOperations.redeliverCallbacks, decodeBody: decodeRedelivery },
  eraseSlip: { ...adminOperations.eraseSlip, decodeBody: decodeErasure },
  getStatistics: {
    ...adminOperations.getStatistics,
    decodeFilter: (fields: Fields) => Effect.flatMap(Clock.currentTimeMillis, (now) => decodeStatistics(fields, now))
  }
}

export type Operations = typeof operations

/** The id of an operation of the admin API. */
export type OperationName = keyof Operations

/** The data of an operation's answer, as declared. */
export type DataOf<Name extends OperationName> = Operations[Name]["success"]["data"]["Encoded"]
