import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import {
  changeBankAccount,
  deactivateBankAccount,
  linkBankAccount,
  unlinkBankAccount
} from "../../../application/bank-accounts/change-bank-account.ts"
import { registerBankAccount } from "../../../application/bank-accounts/register-bank-account.ts"
import { recordDisclosure } from "../../../application/erasure/erase-slip.ts"
import { handleCommand } from "../../../application/events/handle-command.ts"
import { createBranch } from "../../../application/provisioning/branches.ts"
import { maskEvent, openEvent } from "../../../application/trail/sealed-fields.ts"
import { loggedSubject, trail, trailItem, type TrailSubject } from "../../../application/trail/trail.ts"
import { erasures, requests, streamOf } from "../../../domain/events/aggregates.ts"
import { beginning, type RecordedEvent } from "../../../domain/events/recorded-event.ts"
import { isoTime } from "../../../domain/time.ts"
import { EventStore } from "../../../ports/event-store.ts"
import { ReadModels, type Write } from "../../../ports/read-models.ts"
import { modelName } from "../../../projections/engine/model-name.ts"
import { bankAccountsModel } from "../../../projections/models/bank-accounts.ts"
import { duplicatesModel, placed } from "../../../projections/models/duplicates.ts"
import { jobsModel } from "../../../projections/models/jobs.ts"
import { verificationSets, verificationsModel } from "../../../projections/models/verifications.ts"
import { trailIndexModel } from "../../../projections/models/trail-index.ts"
import { byService } from "../given-intake.ts"
import { live, newService, operation } from "../given-application.ts"
import { enqueueAndFail, ids, layerVerifying, pagesOf, projected, succeed, verify } from "../given-trail.ts"
import { personal, types } from "../given-verifier.ts"
import { newSlip } from "../../support/client.ts"
import { someEvent } from "../../support/event-fixtures.ts"
import { layerPorts } from "../../support/ports.ts"
import { accountFields } from "../../support/views.ts"

const test = it.live.with(() => layerVerifying)

const at = Date.parse("2026-11-21T05:00:00.000Z")
const eventsOf = (subject: TrailSubject, upTo?: number) =>
  Effect.map(trail(subject, { limit: 500, upTo }), ({ events }) => events)

/** A request whose idempotency key belongs to the subject with this id, and an older request with the same key. */
const givenRequest = Effect.fnUntraced(function* (subjectId: string) {
  const begin = (id: string, moment: number) => {
    const command = {
      _tag: "BeginRequest",
      branchId: "branch-1",
      fingerprint: "f",
      subjectId: id,
      at: isoTime(moment)
    } as const
    return handleCommand(requests, streamOf.request(`of-${subjectId}`), command, byService(`begin/${id}`, moment))
  }
  yield* begin("another", at - 48 * 3_600_000)
  yield* begin(subjectId, at)
  const refusal = { code: "SLIP_NOT_FOUND", message: "Slip not found", at: isoTime(at) }
  yield* handleCommand(
    requests,
    streamOf.request(`of-${subjectId}`),
    { _tag: "RefuseRequest", subjectId, ...refusal },
    byService(`refuse/${subjectId}`, at)
  )
})

const givenDisclosure = Effect.fnUntraced(function* (subject: TrailSubject) {
  const disclosure = { by: "somchai", command: "trail show", from: null, to: null, branchId: null }
  yield* recordDisclosure({ ...disclosure, subject: yield* loggedSubject(subject) }, operation)
})

describe("related events of a verification", () => {
  test("has the request that led to it, and no other request with the same key", function* () {
    const slip = newSlip()
    const id = ids[0] ?? ""
    yield* givenRequest(id)
    yield* verify(0, slip.payload, "branch-1")
    yield* projected
    const eventTypes = ["RequestBegun", "RequestRefused", "SlipVerified"]
    assert.deepStrictEqual(types(yield* eventsOf({ _tag: "Verification", id: id.toUpperCase() })), eventTypes)
    const { sendingBank, transRef } = slip
    assert.deepStrictEqual(types(yield* eventsOf({ _tag: "Slip", sendingBank, transRef })), eventTypes)
    assert.deepStrictEqual(types(yield* eventsOf({ _tag: "Branch", id: "branch-1" })), eventTypes)
  })

  test("has the request of a job once", function* () {
    const slip = newSlip()
    const id = ids[0] ?? ""
    yield* givenRequest(id)
    yield* enqueueAndFail(id, slip, "branch-1")
    yield* succeed(0, slip, "branch-1")
    yield* projected
    const { sendingBank, transRef } = slip
    for (const subject of [{ _tag: "Job", id } as const, { _tag: "Slip", sendingBank, transRef } as const]) {
      const events = types(yield* eventsOf(subject))
      assert.strictEqual(events.filter((type) => type === "RequestBegun").length, 1)
      assert.strictEqual(events.filter((type) => type === "VerificationEnqueued").length, 1)
    }
  })

  test("has disclosures of personal data, under the disclosed subject", function* () {
    const slip = newSlip()
    const id = ids[0] ?? ""
    yield* verify(0, slip.payload, "branch-1")
    const { sendingBank, transRef } = slip
    const ofSlip = { _tag: "Slip", sendingBank, transRef } as const
    yield* givenDisclosure(ofSlip)
    yield* givenDisclosure({ _tag: "Branch", id: "branch-1" })
    yield* projected
    const last = (yield* eventsOf(ofSlip)).at(-1)
    assert.strictEqual(last?.type, "PersonalDataRevealed")
    assert.deepInclude(last?.data, { by: "somchai", command: "trail show" })
    assert.notInclude(JSON.stringify(last?.data), transRef)
    assert.deepStrictEqual(types(yield* eventsOf({ _tag: "Verification", id })), ["SlipVerified"])
    assert.deepStrictEqual(types(yield* eventsOf({ _tag: "Branch", id: "branch-1" })), [
      "SlipVerified",
      "PersonalDataRevealed"
    ])
  })

  test("has the erasure of the slip", function* () {
    const slip = newSlip()
    yield* verify(0, slip.payload, "branch-1")
    const { sendingBank, transRef } = slip
    const { id: slipDigest } = yield* loggedSubject({ _tag: "Slip", sendingBank, transRef })
    const forget = {
      _tag: "EraseSlip",
      slipDigest,
      jobIds: [],
      serviceIds: [],
      reason: null,
      at: isoTime(at)
    } as const
    yield* handleCommand(erasures, streamOf.erasure(slipDigest), forget, byService("forget", at))
    yield* projected
    const events = yield* eventsOf({ _tag: "Slip", sendingBank, transRef })
    assert.deepStrictEqual(types(events), ["SlipVerified", "PersonalDataForgotten"])
  })
})

describe("the receiving accounts of a branch", () => {
  live("are in its trail with all their events, also after a move or without a link", function* () {
    const { id: serviceId, mainBranch } = yield* newService()
    const other = yield* createBranch({ serviceId, name: "Asok", settings: {} }, operation)
    const branch = { serviceId, branchId: mainBranch.id }
    const byBranch = { ...operation, actor: { kind: "branch", id: mainBranch.id } } as const
    const accountId = ids[0] ?? ""
    yield* registerBankAccount({ accountId, ...branch, fields: accountFields }, byBranch)
    yield* projected
    yield* changeBankAccount(accountId, { bankNumber: "2222222222" }, byBranch)
    yield* changeBankAccount(accountId, { bankNumber: "1234567890" }, byBranch)
    yield* projected
    yield* linkBankAccount(accountId, other.id, operation)
    yield* unlinkBankAccount(accountId, mainBranch.id, operation)
    yield* deactivateBankAccount(accountId, {
      ...operation,
      actor: { kind: "branch", id: other.id }
    })
    yield* registerBankAccount(
      {
        accountId: ids[1] ?? "",
        serviceId,
        branchId: other.id,
        fields: { ...accountFields, bankNumber: "3333333333" }
      },
      operation
    )
    yield* projected
    const eventTypes = [
      "BankAccountRegistered",
      "BankAccountRegistered",
      "BankAccountMoved",
      "BankAccountRegistered",
      "BankAccountMoved",
      "BankAccountLinked",
      "BankAccountUnlinked",
      "BankAccountDeactivated"
    ]
    const ofAccounts = (id: string) =>
      Effect.map(
        eventsOf({ _tag: "Branch", id }),
        (events) => types(events).filter((type) => type.startsWith("BankAccount"))
      )
    assert.deepStrictEqual(yield* ofAccounts(mainBranch.id), eventTypes)
    assert.deepStrictEqual(yield* ofAccounts(other.id), [...eventTypes, "BankAccountRegistered"])
  })
})

describe("the trail of a busy branch", () => {
  it.live("has its latest events on the first page, and all of them in pages", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const models = yield* ReadModels
      const id = (index: number) => `v-${String(index).padStart(4, "0")}`
      const writes: Array<Write> = []
      for (let index = 0; index <= 1_000; index++) {
        const stream = streamOf.verification(id(index))
        const data = { verificationId: id(index), branchId: "branch-1" }
        const event = someEvent(id(index), "VerificationFailed", data, { causationId: id(index) })
        yield* store.append(stream, "no-stream", [event])
        writes.push(
          placed(id(index), { stream, revision: 0 }),
          verificationSets.ofClass("branch-1", "SLIP_NOT_FOUND").add(`${id(index)} SLIP_NOT_FOUND - - -`, index)
        )
      }
      const branch = { _tag: "Branch", id: "branch-1" } as const
      const upTo = yield* store.head
      const first = { after: beginning, upTo, writes }
      yield* models.apply(modelName(duplicatesModel), first)
      yield* models.apply(modelName(verificationsModel), first)
      for (const model of [trailIndexModel, jobsModel, bankAccountsModel]) {
        yield* models.apply(modelName(model), { after: beginning, upTo, writes: [] })
      }
      const pages = yield* pagesOf(branch, 400)
      const idsOf = (events: ReadonlyArray<RecordedEvent> = []) => events.map(({ data }) => data["verificationId"])
      assert.strictEqual(idsOf(pages[0]).at(-1), id(1_000))
      assert.sameMembers(idsOf(pages.flat()), Array.from({ length: 1_001 }, (_, index) => id(index)))
      // The branch itself has no events here, and counts as one.
      assert.lengthOf(yield* pagesOf(branch, 1 + 1_001), 1)
    }).pipe(Effect.provide(layerPorts())))
})

describe("a trail up to a time", () => {
  test("has the events up to that time only", function* () {
    const slip = newSlip()
    const id = ids[0] ?? ""
    yield* enqueueAndFail(id, slip, "branch-1")
    yield* succeed(0, slip, "branch-1")
    yield* verify(1, newSlip().payload, "branch-1")
    yield* projected
    const before = [
      "VerificationEnqueued",
      "VerificationAttemptFailed",
      "JobSucceeded",
      "CallbackScheduled",
      "CallbackSent"
    ]
    // The verifications of this test happen now, the job's events at a fixed moment.
    for (const subject of [{ _tag: "Job", id } as const, { _tag: "Branch", id: "branch-1" } as const]) {
      assert.deepStrictEqual(types(yield* eventsOf(subject, at)), before)
      assert.strictEqual((yield* Effect.flip(eventsOf(subject, at - 1)))._tag, "TrailEmpty")
    }
  })
})

describe("personal data in a trail", () => {
  const given = Effect.gen(function* () {
    const slip = newSlip()
    yield* enqueueAndFail(ids[0] ?? "", slip, "branch-1")
    yield* succeed(0, slip, "branch-1")
    yield* projected
    return { slip, events: yield* eventsOf({ _tag: "Job", id: ids[0] ?? "" }) }
  })
  const asText = <E, R>(
    events: ReadonlyArray<RecordedEvent>,
    show: (event: RecordedEvent) => Effect.Effect<RecordedEvent, E, R>
  ) => Effect.map(Effect.forEach(events, show), (shown) => JSON.stringify(shown.map(trailItem)))

  test("is sealed, masked or opened", function* () {
    const { events, slip } = yield* given
    const [plain, initials, clear] = yield* Effect.all([
      asText(events, Effect.succeed),
      asText(events, maskEvent),
      asText(events, openEvent)
    ])
    for (const word of personal) {
      assert.notInclude(plain, word)
      assert.include(clear, word)
    }
    for (const word of personal.filter((word) => !/\d{4}/u.test(word))) assert.notInclude(initials, word)
    for (const text of [plain, initials]) {
      for (const word of [slip.transRef, slip.payload]) assert.notInclude(text, word)
    }
    assert.include(initials, "ส*** ใ***")
    assert.include(clear, slip.payload)
  })

  test("that cannot be opened is replaced by the reason", function* () {
    const { events } = yield* given
    const broken = events.map((event) =>
      event.type !== "SlipVerified"
        ? event
        : { ...event, data: { ...event.data, transfer: { k: "m-00000000", n: "bm9uY2U=", c: "c2VhbGVk" } } }
    )
    for (const show of [maskEvent, openEvent]) {
      const [verified] = (yield* Effect.forEach(broken, show)).filter(({ type }) => type === "SlipVerified")
      assert.deepStrictEqual(verified?.data["transfer"], { unreadable: "unknown-key" })
    }
  })

  live("does not include secrets of a branch", function* () {
    const { mainBranch } = yield* newService()
    yield* projected
    const events = yield* eventsOf({ _tag: "Branch", id: mainBranch.id })
    assert.notInclude(yield* asText(events, openEvent), mainBranch.webhookSecret)
  })
})
