import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { newSlip } from "../../support/client.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { openConsole, TestBrowser, textOf } from "./given-console.ts"
import { givenOperator } from "./given-operator.ts"

const layerTest = Layer.merge(layerRunningService(), TestBrowser.layer)

/** A slip that a shop verified twice, the first time with a wrong amount. */
const verifiedTwice = Effect.gen(function* () {
  const { createService, verify } = yield* RunningService
  const { id: serviceId, mainBranch: { apiKey, id: branchId } } = yield* createService({ name: "Shop Doi Suthep" })
  const slip = newSlip()
  yield* verify(apiKey, { payload: slip.payload, matchAmount: 99 })
  const again = yield* verify(apiKey, slip.payload)
  const { verificationId } = again.data
  return { apiKey, branchId, serviceId, slip, verificationId, path: `/console/trail/slip/004/${slip.transRef}` }
})

layer.live(layerTest)("the questions of operators", (it) => {
  it.effect("what was the shop told? The page of the slip begins with it", function* () {
    const { baseUrl } = yield* RunningService
    const { slip } = yield* verifiedTwice
    const { page, problems } = yield* openConsole(baseUrl, "/console")
    yield* Effect.promise(async () => {
      await page.getByLabel("Search", { exact: true }).fill(slip.payload)
      await page.keyboard.press("Enter")
      const summary = page.locator(".summary")
      await summary.getByText("The slip is genuine, but it was verified before.").waitFor()
      const shown = await summary.textContent() ?? ""
      for (const part of ["HTTP 200", "100.00 baht", "Kasikornbank", "2 times in 1 service", "→"]) {
        assert.include(shown, part)
      }
      // Above the fold of a laptop.
      assert.isBelow((await summary.locator(".told").boundingBox())?.y ?? Infinity, 500)
      const answers = await page.locator("section[aria-labelledby=answers] tbody tr").allTextContents()
      assert.lengthOf(answers, 2)
      assert.include(answers[1], "The amount is not the expected 99.00 baht.")
      assert.include(answers[1], "Shop Doi Suthep · Main")
    })
    assert.deepStrictEqual(problems, [])
  })

  it.effect("what was the shop told about a slip that no bank knows, also in Thai", function* () {
    const { baseUrl, createService, verify } = yield* RunningService
    const { mainBranch: { apiKey } } = yield* createService()
    const answer = yield* verify(apiKey, newSlip({ outcome: "not-found" }).payload)
    const path = `/console/request?id=${answer.headers.get("x-request-id")}`
    for (const [locale, told] of [["en-GB", "No such slip was found"], ["th-TH", "ไม่พบสลิปนี้"]] as const) {
      const { page } = yield* openConsole(baseUrl, path, { locale })
      yield* Effect.promise(async () => {
        const summary = page.locator(".summary")
        await summary.getByText(told).waitFor()
        assert.include(await summary.textContent() ?? "", "HTTP 404 SLIP_NOT_FOUND")
      })
    }
  })

  it.effect("who looked at this slip? Its page lists looks at the slip and at its verifications", function* () {
    const { path, slip, verificationId } = yield* verifiedTwice
    const auditor = yield* givenOperator("may", "auditor")
    assert.include(yield* auditor.html(path), "No operator has looked at personal data")
    assert.include(yield* auditor.html(path), "→")
    const revealed = yield* auditor.send(`/console/trail/verification/${verificationId}/reveal`)
    assert.strictEqual(revealed.status, 200)
    const full = yield* textOf(revealed)
    assert.include(full, "Shown in full to you")
    assert.notInclude(full, "***")
    const after = yield* auditor.html(path)
    assert.include(after, "Personal data shown to may, by console")
    assert.notInclude(after, "Shown in full to you")
    const name = encodeURIComponent(`004:${slip.transRef}`)
    assert.include(after, `/console/audit?subject=${name}`)
  })

  it.effect("support sees masks, may not show them in full, and has no list of looks", function* () {
    const { path } = yield* verifiedTwice
    const support = yield* givenOperator("nok", "support")
    const shown = yield* support.html(path)
    assert.include(shown, "***")
    for (const hidden of ["/reveal", "/erase", "Who looked at this?"]) assert.notInclude(shown, hidden)
    const refused = yield* support.send(`${path}/reveal`)
    assert.strictEqual(refused.status, 403)
  })

  it.effect("erases a slip after its name was typed, and says so on its page", function* () {
    const { path, slip } = yield* verifiedTwice
    const admin = yield* givenOperator("ann", "admin")
    const wrong = yield* admin.send(`${path}/erase`, { confirm: "004:SOMETHING", reason: "asked by letter" })
    assert.strictEqual(wrong.status, 400)
    const again = yield* textOf(wrong)
    assert.include(again, "The text is not the name")
    assert.include(again, 'value="asked by letter"')
    assert.include(again, `/console/language/th?to=${encodeURIComponent(path)}"`)
    assert.include(yield* admin.html(path), "***")
    const confirm = `004:${slip.transRef}`
    const erased = yield* admin.send(`${path}/erase`, { confirm, reason: "asked by letter" })
    assert.strictEqual(erased.headers.get("location"), `${path}?done=erased`)
    const after = yield* admin.html(`${path}?done=erased`)
    assert.include(after, "Erased. The personal data can no longer be opened.")
    assert.notInclude(after, "***")
    assert.notInclude(after, "/reveal")
    assert.include(after, "100.00")
    // Nothing is left to show, so a forged form records nothing.
    yield* admin.send(`${path}/reveal`)
    assert.notInclude(yield* admin.html(path), "Personal data shown to ann")
  })

  it.effect("a trail of a slip that was verified hundreds of times is short, and has pages", function* () {
    const { baseUrl, verify } = yield* RunningService
    const { apiKey, path, slip } = yield* verifiedTwice
    for (let count = 0; count < 300; count += 50) {
      yield* Effect.all(Array.from({ length: 50 }, () => verify(apiKey, slip.payload)), { concurrency: 10 })
    }
    const { page } = yield* openConsole(baseUrl, path)
    yield* Effect.promise(async () => {
      const height = () => page.evaluate(() => document.documentElement.scrollHeight)
      assert.isBelow(await height(), 3 * 900)
      assert.include(await page.locator(".cluster summary").first().textContent() ?? "", "199 events")
      assert.include(await page.locator(".summary").textContent() ?? "", "302 times in 1 service")
      await page.getByRole("link", { name: "Next page" }).click()
      await page.getByRole("link", { name: "First page" }).waitFor()
      assert.isBelow(await height(), 3 * 900)
    })
  })

  it.effect("registers a receiving account once, links it to a branch, and unlinks it", function* () {
    const { admin: call } = yield* RunningService
    const { branchId, serviceId } = yield* verifiedTwice
    const admin = yield* givenOperator("dao", "admin")
    const created = yield* call<{ readonly id: string }>("POST", `/services/${serviceId}/branches`, {
      name: "Second"
    })
    const newPath = `/console/branches/${branchId}/new-bank-account`
    const accountId = /name="accountId" value="([^"]+)"/u.exec(yield* admin.html(newPath))?.[1] ?? ""
    const form = { accountId, bankCode: "004", bankNumber: "123-4-56789-0", nameTh: "นาย สมชาย ใจดี" }
    const wrong = yield* admin.send(newPath, { ...form, bankNumber: "12" })
    assert.strictEqual(wrong.status, 400)
    assert.include(yield* textOf(wrong), accountId)
    // The form is sent twice, as by a double click.
    for (const answer of [yield* admin.send(newPath, form), yield* admin.send(newPath, form)]) {
      assert.strictEqual(answer.headers.get("location"), `/console/bank-accounts/${accountId}?done=accountRegistered`)
    }
    const path = `/console/bank-accounts/${accountId}`
    const linksOf = Effect.map(
      call<{ readonly branchIds: ReadonlyArray<string> }>("GET", `/bank-accounts/${accountId}`),
      ({ data }) => data.branchIds
    )
    yield* admin.send(`${path}/link`, { branchId: created.data.id })
    assert.deepStrictEqual(yield* linksOf, [branchId, created.data.id])
    assert.include(yield* admin.html(path), "Second")
    yield* admin.send(`${path}/unlink`, { branchId })
    assert.deepStrictEqual(yield* linksOf, [created.data.id])
  })
})
