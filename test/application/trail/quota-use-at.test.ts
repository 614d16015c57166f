import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { modelName } from "../../../projections/engine/model-name.ts"
import { quotaProjection, quotaSets } from "../../../projections/models/quota.ts"
import { beginning, type RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels } from "../../../ports/read-models.ts"
import { quotaUseAt } from "../../../application/trail/branch-at.ts"
import { satang } from "../../../domain/money.ts"
import { isoTime, quotaMonth } from "../../../domain/time.ts"
import { jobsProjection } from "../../../projections/models/jobs.ts"
import { handlesStream } from "../../../projections/engine/projection.ts"
import { jobEvent, slipEvent } from "../../projections/given-events.ts"
import { attemptFailed, enqueued, notFound, succeeded } from "../../projections/job-fixtures.ts"
import { naiveModel } from "../../support/naive-model.ts"
import { numbersFrom, pick, type Random } from "../../support/random.ts"
import { layerPorts } from "../../support/ports.ts"

const test = it.effect.with(layerPorts)

/** Some days on either side of the month's end in Bangkok. */
const FIRST = Date.parse("2026-11-28T17:00:00.000Z")
const LAST = Date.parse("2026-12-02T17:00:00.000Z")
const HOUR = 3_600_000

const branches = ["silom", "asok"]

const verified = (verificationId: string, branchId: string, month: string, charged: boolean, at: number) =>
  slipEvent({
    _tag: "SlipVerifiedAgain",
    verificationId,
    branchId,
    at: isoTime(at),
    month,
    charged,
    remark: null,
    expectedAmount: satang(1),
    isAmountMatched: true
  })

/** An event that was appended a moment after it was decided. */
const later = (event: RecordedEvent): RecordedEvent => ({
  ...event,
  metadata: { ...event.metadata, at: isoTime(Date.parse(event.metadata.at) + 2) }
})

/** The events of a random job: open, verified but not ended, not found, charged, or a duplicate that returns its unit. */
const eventsOfJob = (random: Random, jobId: string): ReadonlyArray<RecordedEvent> => {
  const accepted = Math.floor(FIRST + random() * (LAST - FIRST))
  const ended = accepted + Math.floor(random() * 8 * HOUR)
  const about = { jobId, branchId: pick(random, branches, ""), month: quotaMonth(accepted) }
  const charged = random() < 0.7
  const begun = [
    jobEvent({ ...enqueued, ...about, charged, at: isoTime(accepted) }),
    jobEvent({ ...attemptFailed, jobId, branchId: about.branchId, at: isoTime(accepted + 1) })
  ]
  const isCharged = charged && random() < 0.5
  const verdict = verified(jobId, about.branchId, about.month, isCharged, Math.max(accepted + 1, ended - HOUR))
  switch (pick(random, ["open", "verified", "not-found", "success"], "open")) {
    case "open":
      return begun
    case "verified":
      return [...begun, verdict]
    case "not-found":
      return [...begun, later(jobEvent({ ...notFound, ...about, at: isoTime(ended) }))]
    default:
      return [...begun, verdict, later(jobEvent({ ...succeeded, ...about, charged: isCharged, at: isoTime(ended) }))]
  }
}

const someHistory = (seed: number): ReadonlyArray<RecordedEvent> => {
  const random = numbersFrom(seed)
  const jobs = Array.from({ length: 60 }, (_, index) => eventsOfJob(random, `j-${index}`)).flat()
  const verifications = Array.from({ length: 60 }, (_, index) => {
    const at = Math.floor(FIRST + random() * (LAST - FIRST))
    return verified(`v-${index}`, pick(random, branches, ""), quotaMonth(at), random() < 0.6, at)
  })
  return [...jobs, ...verifications].sort((one, other) => one.metadata.at < other.metadata.at ? -1 : 1)
}

const timeOf = ({ metadata }: RecordedEvent): number => Date.parse(metadata.at)

/** A log with the history, and the read models of the whole log. */
const given = Effect.fnUntraced(function* (history: ReadonlyArray<RecordedEvent>) {
  const store = yield* EventStore
  const models = yield* ReadModels
  const heads = new Map<string, number>()
  for (const [index, { data, metadata, stream, type }] of history.entries()) {
    const last = heads.get(stream) ?? -1
    yield* store.append(stream, last === -1 ? "no-stream" : last, [{ id: `e-${index}`, type, data, metadata }])
    heads.set(stream, last + 1)
  }
  const upTo = yield* store.head
  for (const projection of [quotaProjection, jobsProjection]) {
    const events = history.filter(({ stream }) => handlesStream(projection, stream))
    yield* models.apply(modelName(projection), { after: beginning, upTo, writes: events.flatMap(projection.when) })
  }
})

/** The use of a quota, from the projection of the events up to a time alone. */
const naiveUse = (history: ReadonlyArray<RecordedEvent>, branchId: string, at: number): number => {
  const { sets } = naiveModel(history.filter((event) => timeOf(event) <= at).flatMap(quotaProjection.when))
  return sets.get(quotaSets.month(branchId, quotaMonth(at)).set)?.size ?? 0
}

describe("the use of a quota at a time", () => {
  for (const seed of [1, 2, 3]) {
    test(`equals the use counted from the events, at and between all of them (history ${seed})`, function* () {
      const history = someHistory(seed)
      yield* given(history)
      const moments = [FIRST - 1, ...history.flatMap((event) => [timeOf(event), timeOf(event) - 1]), LAST + 24 * HOUR]
      let most = 0
      for (const at of moments) {
        for (const branchId of branches) {
          const expected = naiveUse(history, branchId, at)
          assert.deepStrictEqual(
            yield* quotaUseAt(branchId, at),
            { month: quotaMonth(at), used: expected },
            `${branchId} ${isoTime(at)}`
          )
          most = Math.max(most, expected)
        }
      }
      assert.isAbove(most, 10)
    })
  }

  test("does not read the charges before the first job that holds a unit", function* () {
    const [branchId, month] = ["silom", quotaMonth(LAST)]
    const about = { jobId: "j-open", branchId, month }
    const charges = Array.from(
      { length: 700 },
      (_, index) => verified(`v-${index}`, branchId, month, true, LAST - 350 + index)
    )
    const open = jobEvent({ ...enqueued, ...about, charged: true, at: isoTime(LAST) })
    yield* given([...charges, open].sort((one, other) => timeOf(one) - timeOf(other)))
    const models = yield* ReadModels
    const read: Array<number> = []
    const observed = ReadModels.of({
      ...models,
      members: (...asked) => Effect.tap(models.members(...asked), ({ length }) => Effect.sync(() => read.push(length)))
    })
    const used = yield* Effect.provideService(quotaUseAt(branchId, LAST + 9), ReadModels, observed)
    assert.deepStrictEqual(used, { month, used: 361 })
    assert.isBelow(read.reduce((sum, length) => sum + length, 0), 20)
  })
})
