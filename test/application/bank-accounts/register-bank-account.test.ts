import { assert, describe, it } from "../../support/it.ts"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { givenBankAccounts, idOf } from "../given-bank-accounts.ts"
import { types } from "../given-verifier.ts"

const tag = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

describe("an account", () => {
  it.effect("is returned as first registered when it is registered again", function* () {
    const { change, deactivate, events, recall, register } = yield* givenBankAccounts
    assert.isUndefined(yield* recall(1, "1234567890"))
    const first = yield* register(1, "1234567890")
    assert.deepStrictEqual(yield* recall(1, "123-4-56789-0"), first)
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(yield* register(1, "1234567890"), first)
    yield* change(1, { nameTh: "ร้านอื่น" })
    yield* change(1, { bankNumber: "2000000000" })
    assert.deepStrictEqual(yield* register(1, "1234567890"), first)
    yield* deactivate(1)
    assert.deepStrictEqual(yield* recall(1, "1234567890"), first)
    assert.strictEqual((yield* events).filter(({ data }) => data["movedFrom"] === null).length, 1)
  })

  it.effect("is registered once by twenty concurrent requests for its number", function* () {
    const { events, register } = yield* givenBankAccounts
    const results = yield* Effect.forEach(
      Array.from({ length: 20 }, (_, index) => index),
      (n) => Effect.result(register(n, "1234567890")),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(results.filter(Result.isSuccess), 1)
    const errorTags = results.filter(Result.isFailure).map(({ failure }) => failure._tag)
    assert.deepStrictEqual(new Set(errorTags), new Set(["BankAccountDuplicate"]))
    assert.deepStrictEqual(types(yield* events), ["BankAccountRegistered"])
  })

  it.effect("is located when the read model is behind", function* () {
    const { change, deactivate, lag, getAccount, register } = yield* givenBankAccounts
    const { createdAt } = yield* register(1, "1234567890")
    yield* TestClock.adjust("1 second")
    yield* change(1, { bankNumber: "2000000000" })
    yield* change(1, { bankNumber: "3000000000", nameEn: "SHOP" })
    const back = yield* change(1, { bankNumber: "1234567890" })
    const final = yield* change(1, { bankNumber: "4000000000" })
    assert.deepInclude(final, { id: idOf(1), bankNumber: "4000000000", nameEn: "SHOP", createdAt })
    assert.notStrictEqual(back.updatedAt, createdAt)
    for (let known = 0; known <= 10; known++) {
      lag.known = known
      assert.deepStrictEqual(yield* getAccount(1), final, `${known} events known`)
    }
    lag.known = 1
    assert.deepInclude(yield* deactivate(1), { bankNumber: "4000000000", isActive: false })
    lag.known = 1
    assert.isFalse((yield* getAccount(1)).isActive)
  })

  it.effect("is unknown when the read model is complete and has no such account", function* () {
    const { deactivate, lag, getAccount, register } = yield* givenBankAccounts
    yield* register(1, "1234567890")
    lag.known = 0
    assert.strictEqual(yield* tag(getAccount(2)), "BankAccountNotFound")
    assert.strictEqual(lag.known, Infinity)
    assert.strictEqual(yield* tag(getAccount(1, "siam")), "BankAccountNotFound")
    assert.strictEqual(yield* tag(deactivate(1, "siam")), "BankAccountNotFound")
  })

  it.effect("keeps both of two concurrent changes", function* () {
    const { change, getAccount, register } = yield* givenBankAccounts
    yield* register(1, "1234567890")
    yield* Effect.all([
      change(1, { nameEn: "SHOP" }),
      change(1, { nameTh: "ร้านอื่น" }),
      change(1, { type: "PERSONAL" }),
      change(1, { bankNumber: "2000000000" })
    ], { concurrency: "unbounded" })
    assert.deepInclude(yield* getAccount(1), {
      bankNumber: "2000000000",
      nameTh: "ร้านอื่น",
      nameEn: "SHOP",
      type: "PERSONAL"
    })
  })

  it.effect("appends nothing when a change has no effect", function* () {
    const { change, deactivate, events, link, register, unlink } = yield* givenBankAccounts
    const account = yield* register(1, "1234567890")
    assert.deepStrictEqual(yield* change(1, { bankNumber: "123-4-56789-0", nameEn: null }), account)
    yield* link(1, "silom")
    yield* unlink(1, "siam")
    assert.lengthOf(yield* events, 1)
    const deactivated = yield* deactivate(1)
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(yield* deactivate(1), deactivated)
    assert.lengthOf(yield* events, 2)
  })

  it.effect("is linked only to branches of its service, and only while it is active", function* () {
    const { deactivate, link, getAccount, register, unlink } = yield* givenBankAccounts
    const account = yield* register(1, "1234567890")
    assert.deepStrictEqual((yield* link(1, "siam")).branchIds, ["silom", "siam"])
    assert.deepStrictEqual(yield* getAccount(1, "siam"), account)
    assert.deepStrictEqual((yield* unlink(1, "silom")).branchIds, ["siam"])
    assert.strictEqual(yield* tag(getAccount(1)), "BankAccountNotFound")
    assert.strictEqual(yield* tag(link(1, "abroad")), "BranchOfAnotherService")
    yield* deactivate(1, "siam")
    assert.strictEqual(yield* tag(link(1, "silom")), "BankAccountNotFound")
    assert.strictEqual(yield* tag(unlink(1, "siam")), "BankAccountNotFound")
    assert.isFalse((yield* getAccount(1, "siam")).isActive)
  })

  it.effect("is changed and deactivated by operators, also without a link", function* () {
    const { change, changeAny, deactivateAny, events, getAccount, getAny, link, register, unlink } =
      yield* givenBankAccounts
    const account = yield* register(1, "1234567890")
    yield* link(1, "siam")
    const corrected = yield* changeAny(1, { nameEn: "SHOP" })
    assert.deepInclude(corrected, { nameEn: "SHOP", branchIds: ["silom", "siam"] })
    assert.deepStrictEqual(yield* getAny(1), corrected)

    yield* unlink(1, "silom")
    yield* unlink(1, "siam")
    assert.strictEqual(yield* tag(change(1, { nameEn: "THEFT" })), "BankAccountNotFound")
    const moved = yield* changeAny(1, { bankNumber: "2000000000" })
    assert.deepInclude(moved, { bankNumber: "2000000000", nameEn: "SHOP", branchIds: [] })
    yield* link(1, "siam")
    assert.deepInclude(yield* getAccount(1, "siam"), { id: account.id, bankNumber: "2000000000", isActive: true })

    assert.deepInclude(yield* deactivateAny(1), { isActive: false, branchIds: ["siam"] })
    const { length } = yield* events
    assert.isFalse((yield* deactivateAny(1)).isActive)
    assert.strictEqual(yield* tag(changeAny(1, { nameEn: null })), "BankAccountNotFound")
    assert.strictEqual(yield* tag(changeAny(2, { nameEn: null })), "BankAccountNotFound")
    assert.strictEqual(yield* tag(deactivateAny(2)), "BankAccountNotFound")
    assert.strictEqual(yield* tag(getAny(2)), "BankAccountNotFound")
    assert.lengthOf(yield* events, length)
  })

  it.effect("has no number and no name in the log", function* () {
    const { change, events, register } = yield* givenBankAccounts
    yield* register(1, "7418529630")
    yield* change(1, { bankNumber: "7418529631", nameEn: "LAPCHAPHO" })
    const log = JSON.stringify((yield* events).map(({ data, stream }) => [stream, data]))
    for (const text of ["7418529630", "7418529631", "ร้านกาแฟดี", "LAPCHAPHO"]) assert.notInclude(log, text)
  })
})
