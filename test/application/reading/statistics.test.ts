import { assert, describe, it } from "../../support/it.ts"
import { Effect, Layer, Schema } from "effect"
import type { ServiceView } from "../../../application/views/provisioning.ts"
import { Directory } from "../../../application/provisioning/directory.ts"
import { statistics } from "../../../application/reading/statistics.ts"
import { slips } from "../../../domain/events/aggregates.ts"
import { beginning } from "../../../domain/events/recorded-event.ts"
import { satang } from "../../../domain/money.ts"
import { isoTime, quotaMonth } from "../../../domain/time.ts"
import { statisticsQueryOf } from "../../../infrastructure/web/input/statistics-query.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { projectAll } from "../../../projections/engine/batch.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { HOUR_MILLIS, statisticsProjection } from "../../../projections/models/statistics.ts"
import { recorded } from "../../projections/given-events.ts"
import { verifiedFirst } from "../../projections/verification-fixtures.ts"
import { runs } from "../../support/runs.ts"
import { layerPorts } from "../../support/ports.ts"
import { branchView } from "../../support/views.ts"

const test = it.effect.with(() => layerTest)

/** Midnight in Bangkok. */
const midnight = Date.parse("2026-11-30T17:00:00.000Z")

const Spec = Schema.Struct({
  hour: Schema.Int.check(Schema.isBetween({ minimum: -30, maximum: 30 })),
  branch: Schema.Literals(["silom", "asoke"]),
  baht: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 900 })),
  tookMillis: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))
})

const eventOf = ({ baht, branch, hour, tookMillis }: typeof Spec.Type, index: number) => {
  const at = isoTime(midnight + hour * HOUR_MILLIS + 5)
  return recorded(
    `slip-s-1-${index}`,
    slips,
    {
      ...verifiedFirst,
      verificationId: `v-${index}`,
      branchId: branch,
      at,
      month: quotaMonth(midnight),
      amount: satang(baht * 100),
      tookMillis
    },
    at
  )
}

const project = Effect.fnUntraced(function* (specs: ReadonlyArray<typeof Spec.Type>) {
  const { writes } = projectAll(statisticsProjection, specs.map(eventOf))
  const upTo = { commit: 1n, prepare: 1n }
  yield* (yield* ReadModels).apply(modelName(statisticsProjection), { after: beginning, upTo, writes })
})

const branch = (id: string) => branchView({ id, createdAt: isoTime(midnight) })
const service: ServiceView = {
  id: "s-1",
  accountId: "a-1",
  name: "Shop",
  plan: "standard",
  quota: null,
  expiresAt: null,
  isActive: true,
  isBanned: false,
  isDeleted: false,
  createdAt: isoTime(midnight),
  mainBranch: { id: "silom", name: "silom" }
}

const layerTest = Layer.merge(
  layerPorts(),
  Layer.mock(Directory, {
    branch: (id) => Effect.succeed(["silom", "asoke"].includes(id) ? branch(id) : undefined),
    service: (id) => Effect.succeed(id === "s-1" ? service : undefined),
    branchesOf: () => Effect.succeed([branch("silom"), branch("asoke")])
  })
)

const days = { from: midnight - 24 * HOUR_MILLIS, to: midnight + 24 * HOUR_MILLIS - 1, interval: "day" } as const

describe("statistics", () => {
  it.effect.prop(
    "equal a naive count of each day in Bangkok, in all and by branch",
    [Schema.Array(Spec).check(Schema.isMaxLength(40))],
    ([specs]) =>
      Effect.gen(function* () {
        yield* project(specs)
        for (const branchId of [undefined, "silom"]) {
          const expected = [[-24, 0], [0, 24]].map(([first = 0, end = 0]) => {
            const ofDay = specs.filter(({ branch, hour }) =>
              hour >= first && hour < end && (branchId ?? branch) === branch
            )
            return [ofDay.length, ofDay.reduce((sum, { baht }) => sum + baht, 0)]
          })
          const { items, total } = yield* statistics({ ...days, branchId })
          assert.deepStrictEqual(items.map(({ amount, verified }) => [verified, amount]), expected)
          assert.strictEqual(total.verified, expected.reduce((sum, [verified = 0]) => sum + verified, 0))
          assert.strictEqual(total.p95Millis === null, total.verified === 0)
        }
        const whole = yield* statistics(days)
        assert.deepStrictEqual((yield* statistics({ ...days, serviceId: "s-1" })).total, whole.total)
      }).pipe(Effect.provide(layerTest)),
    { arbitrary: { runs: runs(30) } }
  )

  test("list every hour, also one without a verification", function* () {
    yield* project([{ hour: 1, branch: "silom", baht: 7, tookMillis: 100 }])
    const { items } = yield* statistics({ from: midnight, to: midnight + 3 * HOUR_MILLIS - 1, interval: "hour" })
    assert.deepStrictEqual(items.map(({ verified }) => verified), [0, 1, 0])
    assert.strictEqual(items[1]?.from, "2026-11-30T18:00:00.000Z")
    assert.deepInclude(items[0], { p50Millis: null, p95Millis: null, amount: 0, failures: {} })
  })

  test("are refused for a branch or a service that does not exist, and for a branch of another service", function* () {
    yield* project([])
    const tagOf = (query: { readonly branchId?: string; readonly serviceId?: string }) =>
      Effect.map(Effect.flip(statistics({ ...days, ...query })), ({ _tag }) => _tag)
    assert.strictEqual(yield* tagOf({ branchId: "x" }), "BranchNotFound")
    assert.strictEqual(yield* tagOf({ serviceId: "x" }), "ServiceNotFound")
    assert.strictEqual(yield* tagOf({ branchId: "silom", serviceId: "x" }), "BranchNotFound")
  })

  test("are refused when a service has too many branches for so many hours", function* () {
    yield* project([])
    const from = midnight - 30_000 * HOUR_MILLIS
    const { _tag } = yield* Effect.flip(statistics({ ...days, from, serviceId: "s-1" }))
    assert.strictEqual(_tag, "StatisticsTooLarge")
  })

  it.effect("are of today in Bangkok by default, and of 92 days at most", function* () {
    const now = midnight + 5 * HOUR_MILLIS
    assert.deepInclude(yield* statisticsQueryOf({}, now), { from: midnight, to: now, interval: "hour" })
    const { issues } = yield* Effect.flip(statisticsQueryOf({ from: now - 93 * 24 * HOUR_MILLIS }, now))
    assert.deepStrictEqual(issues.map(({ path }) => path), ["from"])
  })
})
