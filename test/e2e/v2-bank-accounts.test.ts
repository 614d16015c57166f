import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { BankAccountOfService, BankAccountView } from "../../application/queries/bank-accounts.ts"
import type { Page } from "../../application/queries/page.ts"
import { receivers } from "../../infrastructure/gateways/sandbox/receivers.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"

const NOBODY = "0f8fad5b-d9cb-4f69-a165-70867728950e"
const shop = { bankCode: "004", bankNumber: "123-4-56789-0", nameTh: "บริษัท กาแฟดี จำกัด" }

/** The bank accounts of a branch, as its key gets to see them. */
const branchOf = Effect.fnUntraced(function*(key: string) {
  const { call } = yield* RunningService
  const path = (id: string) => `/v2/bank-accounts/${id}`
  return {
    key,
    post: (body: unknown) => call<BankAccountView>("POST", "/v2/bank-accounts", { key, body }),
    get: (id: string) => call<BankAccountView>("GET", path(id), { key }),
    patch: (id: string, body: unknown) => call<BankAccountView>("PATCH", path(id), { key, body }),
    delete: (id: string) => call<BankAccountView>("DELETE", path(id), { key }),
    list: (query = "") => call<Page<BankAccountView>>("GET", `/v2/bank-accounts${query}`, { key }),
    ids: (query = "") =>
      Effect.map(call<Page<BankAccountView>>("GET", `/v2/bank-accounts${query}`, { key }), ({ data }) =>
        data.items.map(({ id }) => id))
  }
})

/** A service with two branches. */
const given = Effect.gen(function*() {
  const service = yield* RunningService
  const { id: serviceId, mainBranch } = yield* service.createService()
  const sub = yield* service.createBranch(serviceId)
  return {
    ...service,
    serviceId,
    mainId: mainBranch.id,
    subId: sub.id,
    main: yield* branchOf(mainBranch.apiKey),
    sub: yield* branchOf(sub.apiKey)
  }
})

const notFound = (answer: Parameters<typeof assertFailure>[0]) =>
  assertFailure(answer, 404, "BANK_ACCOUNT_NOT_FOUND", "Bank account not found")
const duplicate = (answer: Parameters<typeof assertFailure>[0]) =>
  assertFailure(
    answer,
    409,
    "BANK_ACCOUNT_DUPLICATE",
    "An active account with the same bank code and number already exists"
  )
const badBank = (answer: Parameters<typeof assertFailure>[0]) =>
  assertFailure(answer, 400, "INVALID_BANK_CODE", "The provided bankCode is not supported")
const needsExtra = (answer: Parameters<typeof assertFailure>[0]) =>
  assertFailure(answer, 400, "INVALID_EXTRA_VERIFY", "extraVerify is required for this bank")
const badExtra = (answer: Parameters<typeof assertFailure>[0]) =>
  assertFailure(answer, 400, "INVALID_EXTRA_VERIFY", "extraVerify is not valid for this bank")

layer(layerRunningService(), { excludeTestServices: true })("a bank account", (it) => {
  it.effect("is registered with its digits alone, and is there at once", () =>
    Effect.gen(function*() {
      const { main } = yield* given
      const { data, status, text } = yield* main.post(shop)
      assert.strictEqual(status, 201, text)
      assert.deepStrictEqual(Object.keys(data), [
        "id",
        "bankCode",
        "bankNumber",
        "nameTh",
        "nameEn",
        "type",
        "extraVerify",
        "isActive",
        "createdAt",
        "updatedAt"
      ])
      assert.deepInclude(data, {
        ...shop,
        bankNumber: "1234567890",
        nameEn: null,
        type: null,
        extraVerify: null,
        isActive: true,
        updatedAt: data.createdAt
      })
      assert.match(data.createdAt, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u)
      assert.deepStrictEqual((yield* main.get(data.id)).data, data)
      assert.deepStrictEqual((yield* main.get(data.id.toUpperCase())).data, data)
      assert.deepStrictEqual((yield* main.list()).data, { items: [data], nextCursor: null })
    }))

  it.effect("may be of every receiver of the sandbox bank", () =>
    Effect.gen(function*() {
      const { main } = yield* given
      for (const { register } of receivers) {
        const { data, status, text } = yield* main.post(register)
        assert.strictEqual(status, 201, text)
        assert.deepInclude(data, register)
      }
    }))

  it.effect("is refused where a field is missing or wrong, all faults at once", () =>
    Effect.gen(function*() {
      const { main } = yield* given
      assertInvalid(yield* main.post({}), "bankCode", "bankNumber", "nameTh")
      assertInvalid(yield* main.post({ ...shop, nameTh: "", nameEn: "x".repeat(101), type: "SHOP" }), "nameTh", "nameEn", "type")
      for (const nameTh of [null, "   ", "ก".repeat(101), 7]) assertInvalid(yield* main.post({ ...shop, nameTh }), "nameTh")
      for (const bankNumber of ["", "xxx-x-x1234-x", "12345", "1".repeat(16), "1".repeat(21), 1234567890, "๑๒๓๔๕๖๗๘๙๐"]) {
        assertInvalid(yield* main.post({ ...shop, bankNumber }), "bankNumber")
      }
      assertInvalid(yield* main.post([]), "")
      assert.deepStrictEqual(yield* main.ids(), [])
    }))

  it.effect("is refused where the bank, or the way to compare, is none", () =>
    Effect.gen(function*() {
      const { main } = yield* given
      badBank(yield* main.post({ ...shop, bankCode: "999" }))
      needsExtra(yield* main.post({ ...shop, bankCode: "002" }))
      needsExtra(yield* main.post({ ...shop, bankCode: "PROMPTPAY", extraVerify: null }))
      badExtra(yield* main.post({ ...shop, bankCode: "002", extraVerify: "MSISDN" }))
      badExtra(yield* main.post({ ...shop, extraVerify: "NAME" }))
    }))

  it.effect("is one, however its phone number is written", () =>
    Effect.gen(function*() {
      const { main } = yield* given
      const phone = { ...shop, bankCode: "PROMPTPAY", extraVerify: "MSISDN" }
      const { data } = yield* main.post({ ...phone, bankNumber: "+66 81 234 5678" })
      assert.strictEqual(data.bankNumber, "0812345678")
      for (const bankNumber of ["0812345678", "081-234-5678", "66812345678", "0066812345678"]) {
        duplicate(yield* main.post({ ...phone, bankNumber }))
      }
      assertInvalid(yield* main.post({ ...phone, bankNumber: "1812345678" }), "bankNumber")
      assertInvalid(yield* main.post({ ...phone, bankNumber: "0812345678", extraVerify: "NATID" }), "bankNumber")
    }))

  it.effect("has its number alone within its service, until it is out of use", () =>
    Effect.gen(function*() {
      const { main, sub } = yield* given
      const { data: { id } } = yield* main.post(shop)
      duplicate(yield* main.post({ ...shop, nameTh: "อื่น" }))
      duplicate(yield* sub.post({ ...shop, bankNumber: "1234567890" }))
      assert.strictEqual((yield* main.post({ ...shop, bankCode: "014" })).status, 201)
      assert.strictEqual((yield* (yield* given).main.post(shop)).status, 201, "another service's")

      const deleted = yield* main.delete(id)
      assert.strictEqual(deleted.status, 200, deleted.text)
      assert.deepInclude(deleted.data, { id, bankNumber: "1234567890", isActive: false })
      assert.isTrue(deleted.data.updatedAt >= deleted.data.createdAt)
      assert.deepStrictEqual((yield* main.get(id)).data, deleted.data)
      assert.deepStrictEqual((yield* main.delete(id)).data, deleted.data)
      notFound(yield* main.patch(id, { nameTh: "อื่น" }))

      const again = yield* sub.post(shop)
      assert.strictEqual(again.status, 201, again.text)
      assert.notStrictEqual(again.data.id, id)
      assert.deepStrictEqual((yield* main.get(id)).data, deleted.data)
    }))

  it.effect("is registered by exactly one of twenty requests at once", () =>
    Effect.gen(function*() {
      const { main, sub } = yield* given
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index % 2 === 0 ? main : sub),
        ({ post }) => post(shop),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(answers.filter(({ status }) => status === 201), 1)
      for (const answer of answers.filter(({ status }) => status !== 201)) duplicate(answer)
      assert.lengthOf([...yield* main.ids(), ...yield* sub.ids()], 1)
    }))

  it.effect("is seen by the branches alone that it is linked to", () =>
    Effect.gen(function*() {
      const { main, sub } = yield* given
      const stranger = (yield* given).main
      const { data: { id } } = yield* main.post(shop)
      for (const branch of [sub, stranger]) {
        notFound(yield* branch.get(id))
        notFound(yield* branch.patch(id, { nameTh: "อื่น" }))
        notFound(yield* branch.delete(id))
        assert.deepStrictEqual(yield* branch.ids(), [])
      }
      for (const none of [NOBODY, "7", "%00", `${id}0`, "..%2F..%2F"]) {
        notFound(yield* main.get(none))
        notFound(yield* main.patch(none, {}))
        notFound(yield* main.delete(none))
      }
    }))

  it.effect("is nobody's without a key", () =>
    Effect.gen(function*() {
      const { call } = yield* RunningService
      for (const [method, path] of [
        ["GET", ""],
        ["POST", ""],
        ["GET", `/${NOBODY}`],
        ["PATCH", `/${NOBODY}`],
        ["DELETE", `/${NOBODY}`]
      ] as const) {
        const answer = yield* call(method, `/v2/bank-accounts${path}`, method === "GET" ? {} : { body: {} })
        assertFailure(answer, 401, "MISSING_API_KEY", "Authorization header is required")
      }
    }))

  it.effect("keeps what a change does not name, and loses what it names null", () =>
    Effect.gen(function*() {
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
      assert.deepStrictEqual((yield* main.list()).data.items, [cleared.data])
    }))

  it.effect("has its way to compare judged again with every bank", () =>
    Effect.gen(function*() {
      const { main } = yield* given
      const { data: { id } } = yield* main.post({ ...shop, bankCode: "002", extraVerify: "NAME" })
      badExtra(yield* main.patch(id, { extraVerify: "MSISDN" }))
      needsExtra(yield* main.patch(id, { extraVerify: null }))
      needsExtra(yield* main.patch(id, { bankCode: "PROMPTPAY", bankNumber: "0812345678" }))
      badExtra(yield* main.patch(id, { bankCode: "004", extraVerify: "NAME" }))
      assert.deepInclude((yield* main.patch(id, { bankCode: "004" })).data, { bankCode: "004", extraVerify: null })
      needsExtra(yield* main.patch(id, { bankCode: "002" }))
      const phone = { bankCode: "PROMPTPAY", bankNumber: "0812345678", extraVerify: "MSISDN" }
      assert.deepInclude((yield* main.patch(id, phone)).data, phone)
      assertInvalid(yield* main.patch(id, { extraVerify: "NATID" }), "bankNumber")
      assert.deepInclude((yield* main.get(id)).data, phone)
    }))

  it.effect("keeps its id and its links with another number, and leaves the old one to others", () =>
    Effect.gen(function*() {
      const { admin, main, serviceId, sub, subId } = yield* given
      const { data } = yield* main.post(shop)
      yield* admin("POST", `/bank-accounts/${data.id}/link`, { branchId: subId })
      const other = yield* main.post({ ...shop, bankNumber: "1112223334" })
      duplicate(yield* main.patch(data.id, { bankNumber: other.data.bankNumber }))

      const moved = yield* sub.patch(data.id, { bankNumber: "999-8-88777-6", nameEn: "GOOD COFFEE" })
      assert.strictEqual(moved.status, 200, moved.text)
      const { updatedAt } = moved.data
      assert.deepStrictEqual(moved.data, { ...data, bankNumber: "9998887776", nameEn: "GOOD COFFEE", updatedAt })
      assert.deepStrictEqual((yield* main.get(data.id)).data, moved.data)
      assert.deepStrictEqual((yield* sub.list()).data.items, [moved.data])
      duplicate(yield* main.post({ ...shop, bankNumber: "9998887776" }))

      const heir = yield* main.post(shop)
      assert.strictEqual(heir.status, 201, heir.text)
      duplicate(yield* main.patch(data.id, { bankNumber: shop.bankNumber }))
      yield* main.delete(heir.data.id)
      assert.deepStrictEqual((yield* main.patch(data.id, { bankNumber: shop.bankNumber })).data.bankNumber, "1234567890")
      assert.isTrue((yield* main.delete(data.id)).data.updatedAt >= updatedAt)
      const all = yield* admin<Page<BankAccountOfService>>("GET", `/services/${serviceId}/bank-accounts`)
      assert.deepStrictEqual(all.data.items.map(({ id, isActive }) => [id, isActive]), [
        [data.id, false],
        [other.data.id, true],
        [heir.data.id, false]
      ])
    }))

  it.effect("ends with one number of those that many changes give it at once", () =>
    Effect.gen(function*() {
      const { main } = yield* given
      const { data: { id } } = yield* main.post(shop)
      const numbers = Array.from({ length: 8 }, (_, index) => `200000000${index}`)
      const answers = yield* Effect.forEach(numbers, (bankNumber) => main.patch(id, { bankNumber }), {
        concurrency: "unbounded"
      })
      for (const { status, text } of answers) assert.strictEqual(status, 200, text)
      const { data: { bankNumber } } = yield* main.get(id)
      assert.include(numbers, bankNumber)
      for (const number of [...numbers, shop.bankNumber]) {
        const { status, text } = yield* main.post({ ...shop, bankNumber: number })
        assert.strictEqual(status, number === bankNumber ? 409 : 201, text)
      }
    }))

  it.effect("is listed by its branch, page by page, all or by whether it is in use", () =>
    Effect.gen(function*() {
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
    }))

  it.effect("is shared by the branches that an operator links to it", () =>
    Effect.gen(function*() {
      const { admin, main, mainId, serviceId, sub, subId } = yield* given
      const { data } = yield* main.post(shop)
      const operate = (path: string, branchId: string, id = data.id) =>
        admin<BankAccountOfService>("POST", `/bank-accounts/${id}/${path}`, { branchId })
      const linked = yield* operate("link", subId.toUpperCase())
      assert.deepStrictEqual(linked.data, { ...data, branchIds: [mainId, subId] })
      assert.deepStrictEqual((yield* operate("link", subId)).data, linked.data)
      assert.deepStrictEqual((yield* sub.get(data.id)).data, data)
      assert.deepStrictEqual(yield* sub.ids("?isActive=true"), [data.id])

      assert.deepStrictEqual((yield* operate("unlink", mainId)).data.branchIds, [subId])
      notFound(yield* main.get(data.id))
      assert.deepStrictEqual(yield* main.ids(), [])
      assert.deepStrictEqual((yield* operate("unlink", subId)).data.branchIds, [])
      duplicate(yield* sub.post(shop))
      const all = yield* admin<Page<BankAccountOfService>>("GET", `/services/${serviceId}/bank-accounts`)
      assert.deepStrictEqual(all.data, { items: [{ ...data, branchIds: [] }], nextCursor: null })
      assert.deepStrictEqual((yield* operate("link", mainId)).data.branchIds, [mainId])

      const stranger = yield* given
      assertInvalid(yield* operate("link", stranger.mainId), "branchId")
      assertInvalid(yield* operate("link", "7"), "branchId")
      assertFailure(yield* operate("link", NOBODY), 404, "NOT_FOUND", "There is no such branch")
      assertFailure(yield* operate("link", mainId, NOBODY), 404, "NOT_FOUND", "There is no such bank account")
      assertFailure(yield* operate("unlink", mainId, "x"), 404, "NOT_FOUND", "There is no such bank account")
      yield* main.delete(data.id)
      assertFailure(yield* operate("link", subId), 404, "NOT_FOUND", "There is no such bank account")
      assertFailure(
        yield* admin("GET", `/services/${NOBODY}/bank-accounts`),
        404,
        "NOT_FOUND",
        "There is no such service"
      )
    }))

  it.effect("leaves neither number nor name in any file, nor in what is logged", () =>
    Effect.gen(function*() {
      const { dataDir, logs, main } = yield* given
      const secret = { bankNumber: "7418529630", nameTh: "นาย ลับเฉพาะ ยิ่งนัก", nameEn: "LAPCHAPHO YINGNAK" }
      const { data } = yield* main.post({ ...shop, ...secret })
      yield* main.patch(data.id, { bankNumber: "7418529631" })
      yield* main.delete(data.id)
      const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
      assert.isAtLeast(files.length, 2)
      const written = [...files.map(({ name, parentPath }) => readFileSync(join(parentPath, name))), Buffer.from(logs.join())]
      for (const text of [...Object.values(secret), "7418529631"]) {
        assert.isFalse(written.some((bytes) => bytes.includes(text)), text)
      }
    }))
})
