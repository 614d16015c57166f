import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { appendFails, whileClockAdvances } from "../given-bank-accounts.ts"
import { freeNumbers, givenMove, NEW, OLD, tag, THIRD } from "../given-move.ts"
import { types } from "../given-verifier.ts"

describe("a move whose process died between its two steps", () => {
  it.effect("has no effect until the same change completes it", function* () {
    const all = yield* givenMove
    const { change, dieMovingTo, events, getAccount } = all
    yield* dieMovingTo(NEW)
    assert.strictEqual((yield* getAccount(1)).bankNumber, OLD)
    assert.strictEqual((yield* whileClockAdvances(change(1, { bankNumber: NEW }))).bankNumber, NEW)
    assert.deepStrictEqual(types(yield* events), [
      "BankAccountRegistered",
      "BankAccountRegistered",
      "BankAccountMoved"
    ])
    assert.strictEqual((yield* getAccount(1)).bankNumber, NEW)
    assert.deepStrictEqual(yield* freeNumbers(all, OLD, NEW), [OLD])
  })

  it.effect("is completed by another change to the same number, which is then applied", function* () {
    const { change, dieMovingTo, getAccount, model } = yield* givenMove
    yield* dieMovingTo(NEW)
    const changed = yield* whileClockAdvances(change(1, { bankNumber: NEW, nameEn: "SHOP" }))
    assert.deepInclude(changed, { bankNumber: NEW, nameEn: "SHOP" })
    assert.deepStrictEqual(yield* getAccount(1), changed)
    const rows = [...(yield* model).rows.values()]
    assert.deepStrictEqual(rows.map(({ fields }) => fields["updatedAt"]), [changed.updatedAt])
  })

  it.effect("holds the new number for one minute", function* () {
    const all = yield* givenMove
    const { change, dieMovingTo, getAccount, register } = all
    yield* dieMovingTo(NEW)
    assert.strictEqual(yield* tag(register(2, NEW)), "BankAccountDuplicate")
    yield* TestClock.adjust("1 minute")
    assert.strictEqual((yield* register(2, NEW)).bankNumber, NEW)
    assert.strictEqual((yield* getAccount(1)).bankNumber, OLD)
    assert.strictEqual(yield* tag(change(1, { bankNumber: NEW })), "BankAccountDuplicate")
    assert.deepStrictEqual(yield* freeNumbers(all, OLD, NEW), [])
  })

  it.effect("holds no number after another change of the account", function* () {
    const all = yield* givenMove
    const { change, dieMovingTo, getAccount } = all
    yield* dieMovingTo(NEW)
    yield* change(1, { nameEn: "SHOP" })
    assert.deepStrictEqual(yield* freeNumbers(all, OLD, NEW), [NEW])
    yield* dieMovingTo(NEW)
    yield* change(1, { bankNumber: THIRD })
    assert.deepStrictEqual(yield* freeNumbers(all, OLD, NEW, THIRD), [OLD, NEW])
    assert.deepInclude(yield* getAccount(1), { bankNumber: THIRD, nameEn: "SHOP" })
  })

  it.effect("holds no number after the account was deactivated", function* () {
    const all = yield* givenMove
    const { deactivate, dieMovingTo } = all
    yield* dieMovingTo(NEW)
    assert.deepInclude(yield* deactivate(1), { bankNumber: OLD, isActive: false })
    assert.deepStrictEqual(yield* freeNumbers(all, OLD, NEW), [OLD, NEW])
  })

  it.effect("loses its claim to the next command when a release was interrupted", function* () {
    const all = yield* givenMove
    const { change, dieMovingTo, register, streamOfNumber, logFaults } = all
    const claimed = yield* streamOfNumber(NEW)
    yield* dieMovingTo(NEW)
    yield* TestClock.adjust("1 minute")
    logFaults.before = (stream) => stream === claimed ? appendFails : Effect.void
    assert.strictEqual(yield* whileClockAdvances(tag(register(2, NEW))), "EventStoreError")
    logFaults.before = () => Effect.void
    assert.strictEqual((yield* register(3, NEW)).bankNumber, NEW)
    assert.strictEqual(yield* tag(change(1, { bankNumber: NEW })), "BankAccountDuplicate")
  })
})

describe("a move during a short failure of the log", () => {
  it.effect("completes", function* () {
    const all = yield* givenMove
    const { change, events, logFaults } = all
    let faults = 2
    logFaults.after = (appended) => faults-- > 0 ? appendFails : Effect.succeed(appended)
    assert.strictEqual((yield* whileClockAdvances(change(1, { bankNumber: NEW }))).bankNumber, NEW)
    assert.lengthOf(yield* events, 3)
    assert.deepStrictEqual(yield* freeNumbers(all, OLD, NEW), [OLD])
  })

  it.effect("completes when the answer to its last append was lost", function* () {
    const all = yield* givenMove
    const { change, getAccount, streamOfNumber, logFaults } = all
    const old = yield* streamOfNumber(OLD)
    logFaults.after = (appended, stream) => stream === old ? appendFails : Effect.succeed(appended)
    assert.strictEqual(yield* whileClockAdvances(tag(change(1, { bankNumber: NEW }))), "EventStoreError")
    logFaults.after = Effect.succeed
    assert.strictEqual((yield* getAccount(1)).bankNumber, NEW)
    assert.strictEqual((yield* whileClockAdvances(change(1, { bankNumber: NEW }))).bankNumber, NEW)
    assert.deepStrictEqual(yield* freeNumbers(all, OLD, NEW), [OLD])
  })
})
