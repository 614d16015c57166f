import { assert, layer } from "../support/it.ts"
import { Effect, Result, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beginning, type Json } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Vault } from "../../ports/vault.ts"
import type { info } from "../../application/provisioning/info.ts"
import type { job } from "../../application/jobs/job-view.ts"
import { slipDigest, subjectOfSlipEverywhere } from "../../application/sealing/sealed-data.ts"
import { recordOf } from "../../domain/events/sealed-record.ts"
import { Sealed } from "../../domain/sealed.ts"
import { projections } from "../../projections/models/all.ts"
import { newSlip, type Verified } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { RunningService } from "../support/service.ts"
import { assertFailure } from "./assert-answer.ts"
import { layerShop, Shop } from "./given-shop.ts"

type JobData = Effect.Success<ReturnType<typeof job>>
type Info = Effect.Success<ReturnType<typeof info>>

interface Erased {
  readonly at: string
  readonly jobIds: ReadonlyArray<string>
}

const forget = Effect.fnUntraced(function* (slip: string, reason?: string) {
  const { admin } = yield* RunningService
  return yield* admin<Erased>("POST", "/forget", { slip, reason })
})

const forgetJob = Effect.fnUntraced(function* (job: string) {
  const { admin } = yield* RunningService
  return yield* admin<Erased>("POST", "/forget", { job })
})

/** Enqueues a slip, and waits for the end of its job. */
const endedJob = Effect.fnUntraced(function* (body: object) {
  const { call } = yield* RunningService
  const { key } = yield* Shop
  const accepted = yield* call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", { key, body })
  const { jobId } = accepted.data
  const getJob = call<JobData>("GET", `/v2/verify/bank/jobs/${jobId}`, { key })
  yield* eventually(getJob, ({ data }) => data.status !== "pending")
  return { jobId, getJob }
})

const nameOf = ({ transRef }: { readonly transRef: string }, bank = "004") => `${bank}:${transRef}`

const isSealed = Schema.is(Sealed)

const sealedIn = (value: Json): ReadonlyArray<Sealed> => {
  if (isSealed(value)) return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(sealedIn) : []
}

/** The sealed values of the log that can be opened, for any purpose. */
const openable = Effect.gen(function* () {
  const events = yield* EventStore.use((store) => store.readAll({ after: beginning, limit: 100_000 }))
  const { open } = yield* Vault
  const purposes = ["slip-transfer", "slip-remark", "bank-answer", "account-matching", "job-source", "job-result"]
  const found: Array<string> = []
  for (const event of events) {
    const place = { record: recordOf(event), position: event.position }
    for (const sealed of sealedIn(event.data)) {
      for (const purpose of purposes) {
        const opened = yield* Effect.result(open(purpose, sealed, place))
        if (Result.isSuccess(opened)) found.push(opened.success)
      }
    }
  }
  return found
})

layer.live(layerShop({}, 100))("POST /admin/v1/forget", (it) => {
  it.effect("makes the slip's data in the log unreadable, and leaves everything else readable", function* () {
    const { verify } = yield* RunningService
    const { key } = yield* Shop
    const erased = newSlip()
    const other = newSlip()
    yield* verify(key, { payload: erased.payload, remark: "for Somchai", matchAccount: true })
    yield* verify(key, { payload: other.payload, remark: "for Suda" })
    const before = yield* openable
    assert.isTrue(before.some((text) => text.includes(erased.transRef)))

    const { data, status, text } = yield* forget(nameOf(erased), "asked for on paper")
    assert.strictEqual(status, 200, text)
    assert.deepStrictEqual(data.jobIds, [])

    const after = yield* openable
    assert.isFalse(after.some((content) => content.includes(erased.transRef) || content.includes("Somchai")))
    assert.strictEqual(after.filter((content) => content.includes("Suda")).length, 1)
    assert.isTrue(after.some((content) => content.includes(other.transRef)))
  })

  it.effect("keeps the verdicts: the slip stays a duplicate, costs no unit, and its amount is compared", function* () {
    const { call, verify } = yield* RunningService
    const { key } = yield* Shop
    const slip = newSlip()
    const used = Effect.map(call<Info>("GET", "/v2/info", { key }), ({ data }) => data.branch.quota.used)
    const first = yield* verify(key, { payload: slip.payload, remark: "order 7" })
    yield* forget(nameOf(slip))
    const units = yield* used

    const again = yield* verify(key, { payload: slip.payload, matchAmount: 100, matchAccount: true })
    assert.strictEqual(again.status, 200, again.text)
    const { duplicate, isAmountMatched, isForgotten, match, matchedAccount, rawSlip } = again.data
    assert.deepInclude(duplicate, { sameBranch: true, count: 2 })
    assert.deepStrictEqual([isForgotten, isAmountMatched, matchedAccount], [true, true, null])
    assert.strictEqual(match?.account, "indeterminate")
    const { amount, date, payload, receiver, sender, transRef } = rawSlip
    assert.deepStrictEqual([payload, transRef, amount.amount], [slip.payload, slip.transRef, 100])
    assert.strictEqual(date, first.data.rawSlip.date)
    for (const { account } of [receiver, sender]) {
      assert.deepStrictEqual(account, { name: { th: "" }, bank: { type: "", account: "" } })
    }
    assert.strictEqual(yield* used, units)
  })

  it.effect("erases the results of the slip's jobs, and keeps their success", function* () {
    const { call } = yield* RunningService
    const { key } = yield* Shop
    const slip = newSlip()
    const accepted = yield* call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", {
      key,
      body: { payload: slip.payload, remark: "for Manee" }
    })
    const getJob = call<JobData>("GET", `/v2/verify/bank/jobs/${accepted.data.jobId}`, { key })
    yield* eventually(getJob, ({ data }) => data.status === "success")

    const { data } = yield* forget(nameOf(slip))
    assert.deepStrictEqual(data.jobIds, [accepted.data.jobId])

    const after = yield* getJob
    assert.strictEqual(after.data.status, "success")
    assert.deepInclude(after.data.status === "success" && after.data.data, {
      isForgotten: true,
      isDuplicate: false,
      amountInSlip: 100
    })
    assert.isFalse((yield* openable).some((content) => content.includes(slip.transRef) || content.includes("Manee")))
  })

  it.effect("destroys the key that sealed a slip in every service, before each service had its own", function* () {
    const { verify } = yield* RunningService
    const { open, seal } = yield* Vault
    const slip = newSlip()
    const old = yield* seal("slip-transfer", "{}", subjectOfSlipEverywhere(yield* slipDigest("004", slip.transRef)))
    yield* verify((yield* Shop).key, slip.payload)
    assert.strictEqual(yield* open("slip-transfer", old), "{}")

    yield* forget(nameOf(slip))

    assert.strictEqual((yield* Effect.flip(open("slip-transfer", old))).reason, "forgotten")
  })

  it.effect("erases a slip by one of its jobs, with the slip's other jobs", function* () {
    const { verify } = yield* RunningService
    const slip = newSlip()
    const first = yield* endedJob({ payload: slip.payload, remark: "for Malee" })
    const second = yield* endedJob({ payload: slip.payload })

    const { data, status, text } = yield* forgetJob(first.jobId)

    assert.strictEqual(status, 200, text)
    assert.deepStrictEqual(new Set(data.jobIds), new Set([first.jobId, second.jobId]))
    const { data: job } = yield* first.getJob
    assert.deepInclude(job.status === "success" && job.data, { isForgotten: true })
    assert.isTrue((yield* verify((yield* Shop).key, slip.payload)).data.isForgotten)
    assert.isFalse((yield* openable).some((content) => content.includes(slip.transRef) || content.includes("Malee")))
  })

  it.effect("erases a job that has read no slip, and shows it in the job's trail", function* () {
    const { admin } = yield* RunningService
    const { jobId } = yield* endedJob({ payload: "of Wipa, no slip", remark: "for Wipa" })
    assert.isTrue((yield* openable).some((content) => content.includes("Wipa")))

    const { data, status, text } = yield* forgetJob(jobId)

    assert.strictEqual(status, 200, text)
    assert.deepStrictEqual(data.jobIds, [jobId])
    assert.isFalse((yield* openable).some((content) => content.includes("Wipa")))
    const trail = yield* admin<{ readonly events: ReadonlyArray<{ readonly type: string }> }>(
      "GET",
      `/trail?job=${jobId}`
    )
    assert.include(trail.data.events.map(({ type }) => type), "PersonalDataForgotten")
    const again = yield* forgetJob(jobId)
    assert.deepStrictEqual(again.data, data)
  })

  it.effect("answers a repeated request with an Idempotency-Key without the erased data", function* () {
    const { call } = yield* RunningService
    const { key } = yield* Shop
    const slip = newSlip()
    const request = { key, headers: { "idempotency-key": randomUUID() }, body: { payload: slip.payload } }
    const first = yield* call<Verified>("POST", "/v2/verify/bank", request)
    yield* forget(nameOf(slip))
    const again = yield* call<Verified>("POST", "/v2/verify/bank", request)
    assert.strictEqual(again.status, 200, again.text)
    assert.strictEqual(again.data.verificationId, first.data.verificationId)
    assert.deepStrictEqual([again.data.isForgotten, again.data.isDuplicate], [true, false])
    assert.strictEqual(again.data.rawSlip.payload, "")
  })

  it.effect("leaves read models equal to a replay of the log", function* () {
    const { admin, verify } = yield* RunningService
    const { key } = yield* Shop
    const slip = newSlip()
    yield* verify(key, slip.payload)
    yield* forget(nameOf(slip))
    yield* verify(key, slip.payload)
    for (const { name } of projections) {
      const { status, text } = yield* admin("POST", `/projections/${name}/compare`)
      assert.strictEqual(status, 200, text)
      assert.include(text, '"isSame":true', name)
    }
  })

  it.effect("leaves no personal data in files or log lines", function* () {
    const { dataDir, logs, verify } = yield* RunningService
    const slip = newSlip()
    const { data } = yield* verify((yield* Shop).key, { payload: slip.payload, remark: "for Chujai" })
    yield* forget(nameOf(slip))
    const { receiver, sender } = data.rawSlip
    const names = [sender, receiver].flatMap(({ account: { name } }) => [name.th, name.en ?? name.th])
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    assert.isNotEmpty(files)
    for (const word of [...names, slip.transRef, "Chujai"]) {
      for (const { name, parentPath } of files) {
        assert.isFalse(readFileSync(join(parentPath, name)).includes(word), `${word} is in ${name}`)
      }
      assert.isFalse(logs.some((line) => line.includes(word)), `${word} was logged`)
    }
  })

  it.effect("changes nothing the second time, and returns the time of the erasure", function* () {
    const { verify } = yield* RunningService
    const slip = newSlip()
    yield* verify((yield* Shop).key, slip.payload)
    const first = yield* forget(nameOf(slip), "asked for on paper")
    const again = yield* forget(nameOf(slip))
    assert.deepStrictEqual(again.data, first.data)
    const events = yield* EventStore.use((store) => store.readAll({ after: beginning, limit: 100_000 }))
    const mine = events.filter(({ stream, type }) =>
      type === "PersonalDataForgotten" && stream.startsWith("forgotten-")
    )
    assert.lengthOf(mine.filter(({ metadata }) => metadata.at === first.data.at), 1)
  })

  it.effect("is not seen by a service that verifies the slip later, until it is erased for that service too", function* () {
    const { call, createService, verify } = yield* RunningService
    const stranger = (yield* createService()).mainBranch
    const slip = newSlip()
    yield* verify((yield* Shop).key, slip.payload)
    yield* forget(nameOf(slip))
    const request = { key: stranger.apiKey, headers: { "idempotency-key": randomUUID() } }
    const body = { payload: slip.payload, remark: "for Piti" }

    const first = yield* call<Verified>("POST", "/v2/verify/bank", { ...request, body })
    const replayed = yield* call<Verified>("POST", "/v2/verify/bank", { ...request, body })
    const repeated = yield* verify(stranger.apiKey, slip.payload)

    assert.notProperty(first.data, "isForgotten")
    assert.notStrictEqual(first.data.rawSlip.sender.account.name.th, "")
    assert.strictEqual(replayed.text, first.text)
    assert.notProperty(repeated.data, "isForgotten")
    assert.deepStrictEqual(repeated.data.rawSlip, first.data.rawSlip)
    assert.isTrue((yield* verify((yield* Shop).key, slip.payload)).data.isForgotten, "its own slip stays erased")

    yield* forget(nameOf(slip))
    assert.isTrue((yield* verify(stranger.apiKey, slip.payload)).data.isForgotten)
    assert.isFalse((yield* openable).some((content) => content.includes(slip.transRef) || content.includes("Piti")))
  })

  it.effect("rejects an unknown slip and an invalid name", function* () {
    assertFailure(yield* forget(nameOf(newSlip())), 404, "NOT_FOUND", "There is no such slip")
    const { error, status } = yield* forget("004")
    assert.deepStrictEqual([status, error?.issues?.[0]?.path], [400, "slip"])
    assertFailure(yield* forgetJob(randomUUID()), 404, "NOT_FOUND", "There is no such job")
    const { admin } = yield* RunningService
    const slip = nameOf(newSlip())
    for (const body of [{}, { slip, job: randomUUID() }]) {
      assert.strictEqual((yield* admin("POST", "/forget", body)).status, 400)
    }
  })
})
