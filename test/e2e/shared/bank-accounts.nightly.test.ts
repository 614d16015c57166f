import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import type { BankAccountView } from "../../../application/views/bank-account.ts"
import type { Page } from "../../../projections/engine/page.ts"
import type { SpawnedService } from "../../support/service.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { assertModelsEqual } from "../../support/shared-log.ts"

const shop = { bankCode: "004", bankNumber: "1234567890", nameTh: "ร้านกาแฟดี" }

describe("the bank accounts of several processes on shared stores", () => {
  it.live("are visible in each process immediately, and have unique numbers across processes", function* () {
    const engines = yield* startSharedEngines
    const [first, second] = yield* Effect.all([
      engines.service({ ROLES: "http,projector" }),
      engines.service({ ROLES: "http" })
    ])
    const { mainBranch: { apiKey: key } } = yield* first.createService()
    const call = <Data = BankAccountView>(service: SpawnedService, method: string, path = "", body?: object) =>
      service.call<Data>(method, `/v2/bank-accounts${path}`, { key, body })
    const alternating = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ index, service: index % 2 === 0 ? first : second }))
    const inParallel = { concurrency: "unbounded" } as const

    const answers = yield* Effect.forEach(
      alternating(20),
      ({ service }) => call(service, "POST", "", shop),
      inParallel
    )
    assert.deepStrictEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [201, ...Array.from({ length: 19 }, () => 409)]
    )
    const { id = "" } = answers.find(({ status }) => status === 201)?.data ?? {}
    for (const service of [second, first]) {
      assert.deepInclude((yield* call(service, "GET", `/${id}`)).data, shop)
      assert.lengthOf((yield* call<Page<BankAccountView>>(service, "GET")).data.items, 1)
    }

    const moves = yield* Effect.forEach(
      alternating(6),
      ({ index, service }) => call(service, "PATCH", `/${id}`, { bankNumber: `200000000${index}` }),
      inParallel
    )
    for (const { status, text } of moves) {
      assert.strictEqual(status, 200, text)
    }
    const { bankNumber } = (yield* call(first, "GET", `/${id}`)).data
    assert.strictEqual((yield* call(second, "GET", `/${id}`)).data.bankNumber, bankNumber)
    const others = yield* Effect.forEach(
      alternating(6),
      ({ index, service }) => call(service, "POST", "", { ...shop, bankNumber: `200000000${index}` })
    )
    assert.deepStrictEqual(
      others.map(({ status }, index) => [status, `200000000${index}` === bankNumber]),
      others.map((_, index) => `200000000${index}` === bankNumber ? [409, true] : [201, false])
    )

    assert.isFalse((yield* call(second, "DELETE", `/${id}`)).data.isActive)
    assert.isFalse((yield* call(first, "GET", `/${id}`)).data.isActive)
    assert.strictEqual((yield* call(first, "POST", "", { ...shop, bankNumber })).status, 201)
    yield* assertModelsEqual(engines)
  })
})
