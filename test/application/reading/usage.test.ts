import { assert, describe, it } from "../../support/it.ts"
import { Effect, Schema } from "effect"
import { usage } from "../../../application/reading/usage.ts"
import { satang } from "../../../domain/money.ts"
import { isoTime, quotaMonth } from "../../../domain/time.ts"
import { beginning, type RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { usageDays } from "../../../infrastructure/web/input/verification-queries.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { handlesStream } from "../../../projections/engine/projection.ts"
import { quotaProjection } from "../../../projections/models/quota.ts"
import { verificationsProjection } from "../../../projections/models/verifications.ts"
import { jobEvent, slipEvent, verificationEvent } from "../../projections/given-events.ts"
import { attemptFailed, enqueued, notFound } from "../../projections/job-fixtures.ts"
import { verificationFailed, verifiedAgain, verifiedFirst } from "../../projections/verification-fixtures.ts"
import { runs } from "../../support/runs.ts"
import { turnsDuring } from "../given-models.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

/** Midnight in Bangkok at the end of November. */
const border = Date.parse("2026-11-30T17:00:00.000Z")

const again = (id: string, at: number, month: string, charged: boolean): RecordedEvent =>
  slipEvent({ ...verifiedAgain, verificationId: id, at: isoTime(at), month, charged })

const first = (id: string, at: number, month: string): RecordedEvent =>
  slipEvent({ ...verifiedFirst, verificationId: id, at: isoTime(at), month, amount: satang(100) })

const failed = (id: string, at: number, branchId = "silom"): RecordedEvent =>
  verificationEvent({ ...verificationFailed, verificationId: id, branchId, at: isoTime(at) })

const project = Effect.fnUntraced(function* (events: ReadonlyArray<RecordedEvent>) {
  const models = yield* ReadModels
  for (const projection of [quotaProjection, verificationsProjection]) {
    const writes = events.filter(({ stream }) => handlesStream(projection, stream)).flatMap(projection.when)
    yield* models.apply(modelName(projection), { after: beginning, upTo: { commit: 1n, prepare: 1n }, writes })
  }
})

const HOUR = 3_600_000

/** What happened at an hour around the border of the months. A job is accepted `early` hours before its verification. */
const Spec = Schema.Struct({
  kind: Schema.Literals(["first", "charged", "free", "failed", "job"]),
  hour: Schema.Int.check(Schema.isBetween({ minimum: -60, maximum: 60 })),
  early: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))
})

const eventsOf = ({ early, hour, kind }: typeof Spec.Type, index: number): ReadonlyArray<RecordedEvent> => {
  const [id, at] = [`v-${index}`, border + hour * HOUR]
  const accepted = at - early * HOUR
  switch (kind) {
    case "first":
      return [first(id, at, quotaMonth(at))]
    case "charged":
      return [again(id, at, quotaMonth(at), true)]
    case "free":
      return [again(id, at, quotaMonth(at), false)]
    case "failed":
      return [failed(id, at)]
    case "job": {
      const month = quotaMonth(accepted)
      return [jobEvent({ ...enqueued, jobId: id, at: isoTime(accepted), month }), again(id, at, month, true)]
    }
  }
}

/** The day in Bangkok by its hour from the border. */
const dayOf = (hour: number): string => new Date(border + hour * HOUR + 7 * HOUR).toISOString().slice(0, 10)

const query = (days: Effect.Success<ReturnType<typeof usageDays>>) =>
  ({ branchId: "silom", days, order: "oldest" }) as const

describe("the usage of a branch", () => {
  it.effect.prop(
    "equals a naive count for each day of Bangkok, across the border of a month",
    [Schema.Array(Spec).check(Schema.isMaxLength(40))],
    ([specs]) =>
      Effect.gen(function* () {
        yield* project([...specs.flatMap(eventsOf), failed("other", border, "asoke")])
        const days = yield* usageDays({ from: "2026-11-28", to: "2026-12-03" }, border)
        const found = yield* usage(query(days))
        const expected = days.map(({ day }) => {
          const count = (...kinds: ReadonlyArray<string>) =>
            specs.filter(({ hour, kind }) => dayOf(hour) === day && kinds.includes(kind)).length
          const failures = count("failed")
          return {
            day,
            verified: count("first"),
            duplicates: count("charged", "free", "job"),
            failures: failures === 0 ? {} : { SLIP_NOT_FOUND: failures },
            charged: count("first", "charged", "job")
          }
        })
        assert.deepStrictEqual(found, expected)
      }).pipe(Effect.provide(layerPorts())),
    { arbitrary: { runs: runs(40) } }
  )

  test("counts the unit that a job holds, and no longer once the job ended without a slip", function* () {
    const at = isoTime(border)
    const last = { ...attemptFailed, at, nextAttemptAt: null }
    yield* project([
      jobEvent({ ...enqueued, jobId: "j-1", at, month: "2026-12" }),
      jobEvent({ ...enqueued, jobId: "j-2", at, month: "2026-12" }),
      jobEvent({ ...last, jobId: "j-2" }),
      jobEvent({ ...notFound, jobId: "j-2", at, month: "2026-12" })
    ])
    const days = yield* usageDays({ from: "2026-12-01", to: "2026-12-01" }, border)
    assert.deepStrictEqual(yield* usage(query(days)), [
      { day: "2026-12-01", verified: 0, duplicates: 0, failures: { SLIP_PENDING: 1 }, charged: 1 }
    ])
  })

  test("lets other requests run between its days", function* () {
    yield* project([failed("j-1", border)])
    const days = yield* usageDays({ from: "2026-09-01", to: "2026-12-01" }, border)
    assert.isAtLeast(yield* turnsDuring(usage(query(days))), 9)
  })

  test("is for thirty days up to today by default, and for 92 days at most", function* () {
    const days = yield* usageDays({}, border - 1)
    assert.deepStrictEqual([days.length, days[0]?.day, days.at(-1)?.day], [30, "2026-11-01", "2026-11-30"])
    const most = yield* usageDays({ from: "2026-09-01", to: "2026-12-01" }, border)
    assert.lengthOf(most, 92)
    for (
      const [field, range] of [["from", { from: "2026-08-31", to: "2026-12-01" }], ["to", {
        from: "2026-12-02"
      }]] as const
    ) {
      const { issues } = yield* Effect.flip(usageDays(range, border))
      assert.deepStrictEqual(issues.map(({ path }) => path), [field])
    }
    const newest = yield* usage({ ...query(days), order: "newest" })
    assert.deepStrictEqual(newest.map(({ day }) => day), days.map(({ day }) => day).toReversed())
  })
})
