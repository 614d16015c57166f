import { Schema } from "effect"
import { Baht, Count, Time } from "./values.ts"

const Millis = Schema.NullOr(Count)

const counts = {
  verified: Count.annotate({ description: "Slips that were verified for the first time in their service." }),
  duplicates: Count,
  failed: Count.annotate({ description: "Verifications without a slip." }),
  failures: Schema.Record(Schema.String, Count).annotate({
    description: "The failed ones by code; only the codes that occurred."
  }),
  amount: Baht.annotate({ description: "Sum of the verified slips that no condition refused, in baht." }),
  p50Millis: Millis.annotate({
    description: "Half of the verifications took at most this long; within 9 %. Null without a measured one."
  }),
  p95Millis: Millis.annotate({ description: "The same for 95 % of them." }),
  callbacks: Schema.Struct({
    delivered: Count,
    failed: Count.annotate({ description: "Attempts that are repeated." }),
    rejected: Count
  }).annotate({ description: "Attempts of callbacks by their result." })
}

export const Counts = Schema.Struct(counts).annotate({ identifier: "StatisticsTotal" })
export type Counts = typeof Counts.Type

export const Period = Schema.Struct({
  from: Time.annotate({ description: "The beginning of the hour or day." }),
  ...counts
}).annotate({ identifier: "StatisticsPeriod" })
export type Period = typeof Period.Type

/** What was verified in each hour or day (docs/spec/http.md, "Statistics"). */
export const Statistics = Schema.Struct({
  total: Counts,
  items: Schema.Array(Period).annotate({ description: "Oldest first, also those without a verification." })
}).annotate({ identifier: "Statistics" })
export type Statistics = typeof Statistics.Type
