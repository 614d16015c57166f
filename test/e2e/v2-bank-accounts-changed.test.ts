import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import type { BankAccountOfService } from "../../application/bank-accounts/list-bank-accounts.ts"
import type { BankAccountView } from "../../application/views/bank-account.ts"
import { maskAccount } from "../../application/bank-accounts/masked-account.ts"
import type { Page } from "../../projections/engine/page.ts"
import { layerRunningService } from "../support/service.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"
import { badBank, badExtra, duplicate, given, needsExtra, notFound, shop, UNKNOWN_ID } from "./given-bank-accounts.ts"

layer.live(layerRunningService())("a registered bank account", (it) => {
  it.effect("keeps fields that a change omits, and clears fields that are null", function* () {
    const { main } = yield* given
    const { data } = yield* main.post({ ...shop, nameEn: "GOOD COFFEE CO., LTD.", type: "JURISTIC" })
    const renamed = yield* main.patch(data.id, { nameTh: "  ร้านกาแฟดี ", unknown: 1 })
    assert.strictEqual(renamed.status, 200, renamed.text)
    const { updatedAt } = renamed.data
    assert.deepStrictEqual(renamed.data, { ...data, nameTh: "ร้านกาแฟดี", updatedAt })
    assert.deepStrictEqual((yield* main.get(data.id)).data, renamed.data)

    const cleared = yield* main.patch(data.id, { nameEn: null, type: null, extraVerify: null })
    assert.deepInclude(cleared.data, { nameTh: "ร้านกาแฟดี", nameEn: null, type: null })
    assert.deepStrictEqual((yield* main.patch(data.id, {})).data, cleared.data)
    assert.deepStrictEqual((yield* main.patch(data.id, { bankNumber: "1 2345 67890" })).data, cleared.data)
    for (const field of ["bankCode", "bankNumber", "nameTh"]) {
      assertInvalid(yield* main.patch(data.id, { [field]: null }), field)
    }
    assertInvalid(yield* main.patch(data.id, { bankNumber: "123" }), "bankNumber")
    badBank(yield* main.patch(data.id, { bankCode: "999" }))
    needsExtra(yield* main.patch(data.id, { bankCode: "002" }))
    badExtra(yield* main.patch(data.id, { extraVerify: "NAME" }))
    assert.deepStrictEqual((yield* main.list()).data.items, [cleared.data])
  })

  it.effect("keeps its id and links when its number changes, and frees the old number", function* () {
    const { admin, main, serviceId, sub, subId } = yield* given
    const { data } = yield* main.post(shop)
    yield* admin("POST", `/bank-accounts/${data.id}/link`, { branchId: subId })
    const other = yield* main.post({ ...shop, bankNumber: "1112223334" })
    duplicate(yield* main.patch(data.id, { bankNumber: other.data.bankNumber }))

    const moved = yield* main.patch(data.id, { bankNumber: "999-8-88777-6", nameEn: "GOOD COFFEE" })
    assert.strictEqual(moved.status, 200, moved.text)
    const { updatedAt } = moved.data
    assert.deepStrictEqual(moved.data, { ...data, bankNumber: "9998887776", nameEn: "GOOD COFFEE", updatedAt })
    assert.deepStrictEqual((yield* main.get(data.id)).data, moved.data)
    assert.deepStrictEqual((yield* sub.list()).data.items, [moved.data])
    duplicate(yield* main.post({ ...shop, bankNumber: "9998887776" }))

    const successor = yield* main.post(shop)
    assert.strictEqual(successor.status, 201, successor.text)
    duplicate(yield* main.patch(data.id, { bankNumber: shop.bankNumber }))
    yield* main.delete(successor.data.id)
    assert.deepStrictEqual(
      (yield* main.patch(data.id, { bankNumber: shop.bankNumber })).data.bankNumber,
      "1234567890"
    )
    assert.isTrue((yield* main.delete(data.id)).data.updatedAt >= updatedAt)
    const all = yield* admin<Page<BankAccountOfService>>("GET", `/services/${serviceId}/bank-accounts`)
    assert.deepStrictEqual(all.data.items.map(({ id, isActive }) => [id, isActive]), [
      [data.id, false],
      [other.data.id, true],
      [successor.data.id, false]
    ])
  })

  it.effect("is listed page by page, with or without a filter by isActive", function* () {
    const { main } = yield* given
    const ids: Array<string> = []
    for (let n = 0; n < 5; n++) ids.push((yield* main.post({ ...shop, bankNumber: `123456789${n}` })).data.id)
    yield* main.delete(ids[3] ?? "")
    yield* main.delete(ids[1] ?? "")
    assert.deepStrictEqual(yield* main.ids(), ids)
    assert.deepStrictEqual(yield* main.ids("?isActive=true"), [ids[0], ids[2], ids[4]])
    assert.deepStrictEqual(yield* main.ids("?isActive=false"), [ids[3], ids[1]])

    const seen: Array<string> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const page: Page<BankAccountView> = (yield* main.list(`?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`)).data
      assert.isAtMost(page.items.length, 2)
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.nextCursor
    }
    assert.deepStrictEqual(seen, ids)
    for (const [field, value] of [["isActive", "yes"], ["limit", "0"], ["cursor", "x"]] as const) {
      assertInvalid(yield* main.list(`?${field}=${value}`), field)
    }
  })

  it.effect("is listed, shown, changed and deactivated by operators under the rules of its branches", function* () {
    const { admin, main, mainId, sub, subId } = yield* given
    const { data } = yield* main.post(shop)
    const other = yield* main.post({ ...shop, bankNumber: "1112223334" })
    yield* admin("POST", `/bank-accounts/${data.id}/link`, { branchId: subId })
    const path = `/bank-accounts/${data.id}`
    const ids = (branchId: string, query = "") =>
      Effect.map(
        admin<Page<BankAccountOfService>>("GET", `/branches/${branchId}/bank-accounts${query}`),
        (answer) => [answer.data.items.map(({ id }) => id), answer.data.nextCursor] as const
      )
    const branchIds = [mainId, subId]
    assert.deepStrictEqual(
      (yield* admin("GET", path.toUpperCase().replace("BANK-ACCOUNTS", "bank-accounts"))).data,
      maskAccount({
        ...data,
        branchIds
      })
    )
    const [[first], cursor] = yield* ids(mainId.toUpperCase(), "?limit=1")
    assert.strictEqual(first, data.id)
    assert.deepStrictEqual(yield* ids(mainId, `?limit=1&cursor=${cursor}`), [[other.data.id], null])
    assert.deepStrictEqual(yield* ids(subId), [[data.id], null])

    const patch = (body: unknown) => admin<BankAccountOfService>("PATCH", path, body)
    const changed = yield* patch({ bankNumber: "555-6-66777-8", nameEn: "GOOD COFFEE", type: "JURISTIC" })
    assert.strictEqual(changed.status, 200, changed.text)
    assert.deepInclude(changed.data, { bankNumber: "xxxxxx7778", nameEn: "G*** C***", type: "JURISTIC", branchIds })
    assert.deepInclude((yield* patch({ nameEn: null, unknown: 1 })).data, { nameEn: null, type: "JURISTIC" })
    const ofBranch = (yield* sub.get(data.id)).data
    assert.deepInclude(ofBranch, { bankNumber: "5556667778", nameTh: data.nameTh })
    assert.deepStrictEqual((yield* patch({})).data, maskAccount({ ...ofBranch, branchIds }))
    assertInvalid(yield* patch({ bankNumber: "1", nameTh: "" }), "nameTh")
    assertInvalid(yield* patch({ bankNumber: "123" }), "bankNumber")
    assertInvalid(yield* patch({ bankCode: null, type: "ROBOT" }), "bankCode", "type")
    badBank(yield* patch({ bankCode: "999" }))
    badExtra(yield* patch({ extraVerify: "NAME" }))
    needsExtra(yield* patch({ bankCode: "PROMPTPAY", bankNumber: "0812345678" }))
    duplicate(yield* patch({ bankNumber: other.data.bankNumber }))

    for (let repeated = 0; repeated < 2; repeated++) {
      const deactivated = yield* admin<BankAccountOfService>("POST", `${path}/deactivate`)
      assert.strictEqual(deactivated.status, 200, deactivated.text)
      assert.deepInclude(deactivated.data, { isActive: false, branchIds })
    }
    assert.isFalse((yield* admin<BankAccountOfService>("GET", path)).data.isActive)
    assert.deepStrictEqual(yield* ids(subId, "?isActive=false"), [[data.id], null])
    assert.deepStrictEqual(yield* ids(subId, "?isActive=true"), [[], null])
    assertFailure(yield* patch({ nameEn: null }), 404, "NOT_FOUND", "There is no such bank account")
    for (const [field, value] of [["isActive", "yes"], ["limit", "0"], ["cursor", "x"]] as const) {
      assertInvalid(yield* admin("GET", `/branches/${mainId}/bank-accounts?${field}=${value}`), field)
    }
  })

  it.effect("is corrected by operators also while its owner is inactive, and after its service was deleted", function* () {
    const { admin, main, mainId, serviceId, sub, subId } = yield* given
    const { data } = yield* main.post(shop)
    yield* admin("POST", `/bank-accounts/${data.id}/link`, { branchId: subId })
    const patch = (nameEn: string) => admin<BankAccountOfService>("PATCH", `/bank-accounts/${data.id}`, { nameEn })
    yield* admin("POST", `/branches/${mainId}/deactivate`)
    assert.deepInclude((yield* patch("GOOD COFFEE")).data, { nameEn: "G*** C***", branchIds: [mainId, subId] })
    assert.strictEqual(
      (yield* sub.patch(data.id, { nameEn: "THEFT" })).status,
      404,
      "the inactive owner still owns it"
    )

    yield* admin("POST", `/services/${serviceId}/delete`)
    assert.strictEqual((yield* patch("BETTER COFFEE")).data.nameEn, "B*** C***")
    const deactivated = yield* admin<BankAccountOfService>("POST", `/bank-accounts/${data.id}/deactivate`)
    assert.isFalse(deactivated.data.isActive)
  })

  it.effect("is visible to the branches that an operator links to it", function* () {
    const { admin, main, mainId, serviceId, sub, subId } = yield* given
    const { data } = yield* main.post(shop)
    const postLink = (path: string, branchId: string, id = data.id) =>
      admin<BankAccountOfService>("POST", `/bank-accounts/${id}/${path}`, { branchId })
    const linked = yield* postLink("link", subId.toUpperCase())
    assert.deepStrictEqual(linked.data, maskAccount({ ...data, branchIds: [mainId, subId] }))
    assert.deepStrictEqual((yield* postLink("link", subId)).data, linked.data)
    assert.deepStrictEqual((yield* sub.get(data.id)).data, data)
    assert.deepStrictEqual(yield* sub.ids("?isActive=true"), [data.id])

    assert.deepStrictEqual((yield* postLink("unlink", mainId)).data.branchIds, [subId])
    notFound(yield* main.get(data.id))
    assert.deepStrictEqual(yield* main.ids(), [])
    assert.deepStrictEqual((yield* postLink("unlink", subId)).data.branchIds, [])
    duplicate(yield* sub.post(shop))
    const all = yield* admin<Page<BankAccountOfService>>("GET", `/services/${serviceId}/bank-accounts`)
    assert.deepStrictEqual(all.data, { items: [maskAccount({ ...data, branchIds: [] })], nextCursor: null })
    assert.deepStrictEqual((yield* postLink("link", mainId)).data.branchIds, [mainId])

    const otherService = yield* given
    assertInvalid(yield* postLink("link", otherService.mainId), "branchId")
    assertInvalid(yield* postLink("link", "7"), "branchId")
    assertFailure(yield* postLink("link", UNKNOWN_ID), 404, "NOT_FOUND", "There is no such branch")
    assertFailure(yield* postLink("link", mainId, UNKNOWN_ID), 404, "NOT_FOUND", "There is no such bank account")
    assertFailure(yield* postLink("unlink", mainId, "x"), 404, "NOT_FOUND", "There is no such bank account")
    yield* main.delete(data.id)
    assertFailure(yield* postLink("link", subId), 404, "NOT_FOUND", "There is no such bank account")
    assertFailure(
      yield* admin("GET", `/services/${UNKNOWN_ID}/bank-accounts`),
      404,
      "NOT_FOUND",
      "There is no such service"
    )
  })
})
