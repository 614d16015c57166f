import {
  AllVerificationsQuery,
  REFERENCE,
  startOf,
  type UsageQuery,
  type VerificationQuery
} from "../api/requests/verification-queries.ts"
import type { VerificationsQuery } from "../../../application/reading/list-verifications.ts"
import type { UsageDay } from "../../../application/reading/usage.ts"
import { bangkokDay } from "../../../domain/time.ts"
import { decodeFields, type Fields, invalid } from "./decode.ts"
import { Effect } from "effect"

export const verificationFilter = (
  { order = "newest", reference: slip, ...filter }: typeof VerificationQuery.Type
): Omit<VerificationsQuery, "branchId" | "serviceId" | "cursor" | "limit"> => {
  const [, sendingBank, reference = ""] = REFERENCE.exec(slip ?? "") ?? []
  return { ...filter, order, reference: slip === undefined ? undefined : { sendingBank, reference } }
}

export const allVerificationsFilter = ({ branch, service, ...filter }: typeof AllVerificationsQuery.Type) => ({
  ...verificationFilter(filter),
  branchId: branch,
  serviceId: service
})

const decodeAllVerifications = decodeFields(AllVerificationsQuery)

/** The same decoder for the flags of commands and the pages of the console. */
export const decodeAllVerificationsFilter = (fields: Fields) =>
  Effect.map(decodeAllVerifications(fields), allVerificationsFilter)

const DAY_MILLIS = 86_400_000

/** Three months. */
const MOST_DAYS = 92
const DEFAULT_DAYS = 30

/** The days of a query, oldest first. `now` is in milliseconds since 1970. */
export const usageDays = ({ from, to }: typeof UsageQuery.Type, now: number) => {
  const last = startOf(to ?? bangkokDay(now)) ?? now
  const first = from === undefined ? last - (DEFAULT_DAYS - 1) * DAY_MILLIS : startOf(from) ?? last
  const count = Math.round((last - first) / DAY_MILLIS) + 1
  if (count < 1) return Effect.fail(invalid({ path: "to", message: "Expected a day that is not before from" }))
  if (count > MOST_DAYS) {
    return Effect.fail(
      invalid({ path: "from", message: `Expected at most ${MOST_DAYS} days, the first and the last included` })
    )
  }
  return Effect.succeed(Array.from({ length: count }, (_, index): UsageDay => {
    const start = first + index * DAY_MILLIS
    return { day: bangkokDay(start), from: start }
  }))
}
