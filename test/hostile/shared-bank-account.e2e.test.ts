import { assert, layer } from "../support/it.ts"
import { assertFailure } from "../e2e/assert-answer.ts"
import { trail } from "../e2e/ask-trail.ts"
import { given, notFound, shop } from "../e2e/given-bank-accounts.ts"
import { layerRunningService } from "../support/service.ts"

layer.live(layerRunningService())("a linked branch that attacks a shared bank account", (it) => {
  it.effect("can't rewrite, move or deactivate it, and gives up its own link alone", function* () {
    const { admin, main: owner, mainId, sub: till, subId } = yield* given
    const { data } = yield* owner.post(shop)
    yield* admin("POST", `/bank-accounts/${data.id}/link`, { branchId: subId })

    const changes = [{ nameTh: "ผู้โจมตี" }, { bankNumber: "9999999999" }, { bankCode: "014", nameEn: "ATTACKER" }]
    for (const change of changes) {
      assertFailure(
        yield* till.patch(data.id, change),
        404,
        "BANK_ACCOUNT_NOT_FOUND",
        "This branch may not change the bank account. Ask the branch that registered it, or an operator"
      )
    }
    assert.deepStrictEqual((yield* owner.get(data.id)).data, data)
    assert.strictEqual((yield* till.post({ ...shop, bankNumber: "9999999999" })).status, 201, "no claim is left")

    const unlinked = yield* till.delete(data.id)
    assert.deepStrictEqual([unlinked.status, unlinked.data], [200, data])
    notFound(yield* till.get(data.id))
    notFound(yield* till.delete(data.id))
    assert.deepStrictEqual((yield* owner.list()).data.items, [data])
    assert.isFalse((yield* owner.delete(data.id)).data.isActive)

    const { data: { events } } = yield* trail(`branch=${mainId}`)
    const ofAccount = events.filter(({ stream }) => stream.startsWith("bankAccount-"))
    assert.deepStrictEqual(ofAccount.map(({ actor, type }) => [type, actor.id]), [
      ["BankAccountRegistered", mainId],
      ["BankAccountLinked", "api"],
      ["BankAccountUnlinked", subId],
      ["BankAccountDeactivated", mainId]
    ])
  })

  it.effect("sees the changes of the owner in its trail, and owns the account after an operator unlinked the owner", function* () {
    const { admin, main: owner, mainId, sub, subId } = yield* given
    const { data } = yield* owner.post(shop)
    yield* admin("POST", `/bank-accounts/${data.id}/link`, { branchId: subId })
    assert.strictEqual((yield* owner.patch(data.id, { bankNumber: "5556667778" })).status, 200)
    yield* owner.patch(data.id, { nameEn: "GOOD COFFEE" })

    const { data: { events } } = yield* trail(`branch=${subId}`)
    const types = events.filter(({ actor }) => actor.id === mainId).map(({ type }) => type)
    assert.includeMembers(types, ["BankAccountMoved", "BankAccountChanged"])

    yield* admin("POST", `/bank-accounts/${data.id}/unlink`, { branchId: mainId })
    assert.strictEqual((yield* sub.patch(data.id, { nameEn: "BETTER COFFEE" })).data.nameEn, "BETTER COFFEE")
    assert.isFalse((yield* sub.delete(data.id)).data.isActive)
  })
})

layer.live(layerRunningService())("an owner that attacks a shared bank account", (it) => {
  it.effect("loses it to the operator, who corrects it where every linked branch sees that", function* () {
    const { admin, main: thief, mainId, sub: till, subId } = yield* given
    const { data } = yield* thief.post(shop)
    const path = `/bank-accounts/${data.id}`
    yield* admin("POST", `${path}/link`, { branchId: subId })
    yield* thief.patch(data.id, { bankNumber: "9999999999", nameTh: "ผู้โจมตี" })
    assert.strictEqual((yield* till.get(data.id)).data.bankNumber, "9999999999")

    yield* admin("POST", `${path}/unlink`, { branchId: mainId })
    const corrected = yield* admin("PATCH", path, shop)
    assert.strictEqual(corrected.status, 200, corrected.text)
    notFound(yield* thief.patch(data.id, { bankNumber: "9999999999" }))
    notFound(yield* thief.delete(data.id))
    const { updatedAt } = (yield* till.get(data.id)).data
    assert.deepStrictEqual((yield* till.list()).data.items, [{ ...data, updatedAt }])

    const { data: { events } } = yield* trail(`branch=${subId}`)
    const moves = events.filter(({ type }) => type === "BankAccountMoved")
    assert.deepStrictEqual(moves.map(({ actor }) => actor), [
      { kind: "branch", id: mainId },
      { kind: "admin", id: "api", operator: "ADMIN_TOKEN" }
    ])
    assert.strictEqual(moves[1]?.requestId, corrected.headers.get("x-request-id"))
  })
})
