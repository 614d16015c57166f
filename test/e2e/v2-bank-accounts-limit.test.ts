import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { MAX_ACTIVE_ACCOUNTS } from "../../domain/bank-account/fields.ts"
import { layerRunningService } from "../support/service.ts"
import { assertFailure } from "./assert-answer.ts"
import { formTokenIn, getPage, sendForm, signedIn, textOf } from "./console/given-console.ts"
import { given, shop } from "./given-bank-accounts.ts"
import { signedInAs } from "./shop/given-shop-page.ts"

const message = "The branch has 200 active bank accounts: deactivate one before you add another"

layer.live(layerRunningService({ RATE_LIMIT: "0" }))("too many bank accounts", (it) => {
  it.effect("are refused with what to do, over the API, for operators, and on the pages", function* () {
    const { admin, baseUrl, main, mainId, sub } = yield* given
    const accounts = Array.from({ length: MAX_ACTIVE_ACCOUNTS + 1 }, (_, index) => ({
      ...shop,
      bankNumber: String(1_000_000_000 + index)
    }))
    const [another = shop, ...most] = accounts
    yield* Effect.forEach(most, main.post, { concurrency: 10, discard: true })

    const refused = yield* main.post(another)
    const ofSub = yield* sub.post(another)
    const { id } = ofSub.data
    const linked = yield* admin("POST", `/bank-accounts/${id}/link`, { branchId: mainId })
    assert.strictEqual(ofSub.status, 201, ofSub.text)
    for (const answer of [refused, linked]) {
      assertFailure(answer, 400, "VALIDATION_ERROR", "Validation failed")
      assert.deepStrictEqual(answer.error?.issues, [{ path: "", message }])
    }

    const refusedPage = Effect.fnUntraced(function* (cookie: string, from: string, to: string, form: object) {
      const page = yield* textOf(yield* getPage(baseUrl, from, { cookie }))
      const answer = yield* sendForm(baseUrl, to, { csrf: formTokenIn(page), ...form }, { cookie })
      assert.strictEqual(answer.status, 400)
      return yield* textOf(answer)
    })
    const own = "/app/settings/accounts"
    const bankNumber = "2000000000"
    const onShop = yield* refusedPage(yield* signedInAs(baseUrl, main.key), own, own, { ...shop, bankNumber })
    assert.include(onShop, "Stop using one of them first")
    const cookie = yield* signedIn(baseUrl)
    const newPath = `/console/branches/${mainId}/new-bank-account`
    const onConsole = yield* refusedPage(cookie, newPath, newPath, { ...shop, bankNumber, accountId: id })
    assert.include(onConsole, "Deactivate one of them first")
    const path = `/console/bank-accounts/${id}`
    assert.include(yield* refusedPage(cookie, path, `${path}/link`, { branchId: mainId }), "Deactivate one of them")
  })
})
