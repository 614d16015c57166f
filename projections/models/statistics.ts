import { Schema } from "effect"
import type { CallbackEvent } from "../../domain/callback.ts"
import { callbacks, jobs, slips, verifications } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { endCodeOf } from "../../domain/failed-verification.ts"
import { bucketOf } from "../../domain/latency.ts"
import type { SlipEvent } from "../../domain/slip/slip.ts"
import type { Write } from "../../ports/read-models.ts"
import { decoded } from "../engine/decoded.ts"
import type { Projection } from "../engine/projection.ts"
import { OrderedSet, Table } from "../engine/read-model.ts"

/**
 * The read model `statistics`: counters of each hour, for the whole installation and for each branch. After the retention,
 * hours leave it. Decision 0036 says why they are counters and not sets.
 */
export const statisticsModel = { name: "statistics", version: 1 } as const

/** The whole installation, in place of the id of a branch. */
export const INSTALLATION = "all"

export const HOUR_MILLIS = 3_600_000

/** The number of an hour since 1970. Hours of UTC and of Bangkok begin at the same moments. */
export const hourOf = (millis: number): number => Math.floor(millis / HOUR_MILLIS)

/**
 * By `hourKey`: `v` counts verified slips, `d` duplicates, `s` the satang of verified slips, `f:<code>` failures,
 * `t:<bucket>` verifications by the bucket of their duration, `c:<result>` attempts of callbacks. Short names, because each
 * row is read and written with every batch of its hour.
 */
export const hourRows = new Table(statisticsModel, "hours", Schema.Record(Schema.String, Schema.Int))

/** All rows, scored by the beginning of their hour in milliseconds. */
export const hourKeys = new OrderedSet(statisticsModel, "hours")

export const hourKey = (scope: string, hour: number): string => `${scope}:${hour}`

/** What one hour of one scope has counted. */
export interface HourCounts {
  readonly verified: number
  readonly duplicates: number
  readonly satang: number
  /** By code. */
  readonly failures: ReadonlyMap<string, number>
  /** By bucket of `domain/latency.ts`. Verifications from before `tookMillis`, and failed jobs, are missing. */
  readonly latency: ReadonlyMap<number, number>
  readonly callbacks: Readonly<Record<AttemptResult, number>>
}

/** `failed` attempts are repeated. */
export const attemptResults = ["delivered", "failed", "rejected"] as const
export type AttemptResult = (typeof attemptResults)[number]

type Amounts = Readonly<Record<string, number>>

export const parseHour = (row: Amounts): HourCounts => {
  const named = (prefix: string) =>
    Object.entries(row).flatMap(([field, count]) =>
      field.startsWith(prefix) ? [[field.slice(prefix.length), count] as const] : []
    )
  const attempts = new Map(named("c:"))
  const attemptsWith = (result: AttemptResult): number => attempts.get(result) ?? 0
  return {
    verified: row["v"] ?? 0,
    duplicates: row["d"] ?? 0,
    satang: row["s"] ?? 0,
    failures: new Map(named("f:")),
    latency: new Map(named("t:").map(([bucket, count]) => [Number(bucket), count])),
    callbacks: {
      delivered: attemptsWith("delivered"),
      failed: attemptsWith("failed"),
      rejected: attemptsWith("rejected")
    }
  }
}

const counted = (branchId: string, at: string, amounts: Amounts): ReadonlyArray<Write> => {
  const hour = hourOf(Date.parse(at))
  const begins = hour * HOUR_MILLIS
  const [ofAll, ofBranch] = [hourKey(INSTALLATION, hour), hourKey(branchId, hour)]
  return [
    hourRows.add(ofAll, amounts),
    hourKeys.add(ofAll, begins),
    hourRows.add(ofBranch, amounts),
    hourKeys.add(ofBranch, begins)
  ]
}

const withDuration = (amounts: Record<string, number>, tookMillis: number | undefined): Amounts => {
  if (tookMillis !== undefined) amounts[`t:${bucketOf(tookMillis)}`] = 1
  return amounts
}

/** A slip that its conditions refused is verified, but its amount is not taken. */
const ofSlip = (event: SlipEvent): ReadonlyArray<Write> => {
  const { at, branchId, tookMillis } = event
  if (event._tag === "SlipVerifiedAgain") return counted(branchId, at, withDuration({ d: 1 }, tookMillis))
  const satang = event.acceptance?.accepted === false ? 0 : event.amount
  return counted(branchId, at, withDuration({ v: 1, s: satang }, tookMillis))
}

const ofFailure = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const failure = decoded(verifications, recorded)
  return counted(failure.branchId, failure.at, withDuration({ [`f:${endCodeOf(failure)}`]: 1 }, failure.tookMillis))
}

/** A job that succeeded is in the stream of its slip. The others end with the last attempt. */
const ofJob = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const event = decoded(jobs, recorded)
  const isLast = event._tag === "VerificationAttemptFailed" && event.nextAttemptAt === null
  return isLast ? counted(event.branchId, event.at, { [`f:${event.code}`]: 1 }) : []
}

const ofCallback = (event: CallbackEvent): ReadonlyArray<Write> => {
  const count = (result: AttemptResult) => counted(event.branchId, event.at, { [`c:${result}`]: 1 })
  switch (event._tag) {
    case "CallbackDelivered":
      return count("delivered")
    case "CallbackRejected":
      return count("rejected")
    case "CallbackAttemptFailed":
      return count("failed")
    case "CallbackScheduled":
    case "CallbackSent":
    case "CallbackAbandoned":
    case "CallbackRedeliveryRequested":
      return []
  }
}

export const statisticsProjection: Projection = {
  ...statisticsModel,
  streams: ["slip-", "verification-", "job-", "callback-"],
  expiring: [{ set: hourKeys.set, expire: (key) => [hourRows.delete(key), hourKeys.remove(key)] }],
  when: (recorded) => {
    const { stream } = recorded
    if (stream.startsWith("slip-")) return ofSlip(decoded(slips, recorded))
    if (stream.startsWith("verification-")) return ofFailure(recorded)
    return stream.startsWith("job-") ? ofJob(recorded) : ofCallback(decoded(callbacks, recorded))
  }
}
