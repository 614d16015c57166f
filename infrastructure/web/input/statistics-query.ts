import { StatisticsQuery } from "../api/requests/operator-queries.ts"
import { Effect } from "effect"
import { bangkokDay, parseTimeInBangkok } from "../../../domain/time.ts"
import type { StatisticsQuery as Query } from "../../../application/reading/statistics.ts"
import { decodeFields, type Fields, invalid, type InvalidInput } from "./decode.ts"

const MOST_DAYS = 92
const DAY_MILLIS = 86_400_000

/** The query with its defaults. `now` is in milliseconds since 1970. */
export const statisticsQueryOf = (
  { branch, from, interval = "hour", service, to }: typeof StatisticsQuery.Type,
  now: number
): Effect.Effect<Query, InvalidInput> => {
  const last = to ?? now
  const first = from ?? parseTimeInBangkok(bangkokDay(last), "first")?.at ?? last
  if (last < first) return Effect.fail(invalid({ path: "from", message: "Expected a time that is not after to" }))
  return last - first > MOST_DAYS * DAY_MILLIS
    ? Effect.fail(invalid({ path: "from", message: `Expected at most ${MOST_DAYS} days before to` }))
    : Effect.succeed({ from: first, to: last, interval, serviceId: service, branchId: branch })
}

const decode = decodeFields(StatisticsQuery)

/** The same decoder for the flags of the command. */
export const decodeStatistics = (fields: Fields, now: number) =>
  Effect.flatMap(decode(fields), (query) => statisticsQueryOf(query, now))
