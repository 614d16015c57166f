import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { satang } from "../../../domain/money.ts"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { RunningService } from "../../support/service.ts"
import { endJob } from "../../infrastructure/commands/cli/given-jobs.ts"
import { layerShop, Shop } from "../given-shop-with-receiver.ts"
import { TestBrowser } from "../console/given-console.ts"
import { openShop } from "./given-shop-page.ts"

const layerTest = Layer.merge(TestBrowser.layer, layerShop)

/** Verifies slips with every outcome, also by a job with a callback. Returns the id of the job. */
const givenRecord = Effect.gen(function* () {
  const { call, verify } = yield* RunningService
  const { key, receiver } = yield* Shop
  receiver.answers(404)
  const jobId = yield* endJob(key, { payload: newSlip().payload, callbackUrl: receiver.url })
  const slip = newSlip({ amount: satang(125_050) })
  yield* verify(key, { payload: slip.payload, remark: "order 42" })
  yield* verify(key, { payload: slip.payload, conditions: { amount: { atLeast: 2000 } } })
  yield* verify(key, { payload: newSlip({ outcome: "not-found", at: Date.now() - 86_400_000 }).payload })
  const list = call<{ readonly items: ReadonlyArray<unknown> }>("GET", "/v2/verifications", { key })
  yield* eventually(list, ({ data }) => data.items.length >= 4)
  const deliveries = call<{ readonly items: ReadonlyArray<unknown> }>("GET", "/v2/webhook/deliveries", { key })
  yield* eventually(deliveries, ({ data }) => data.items.length > 0)
  return { jobId, slip }
})

layer.live(layerTest)("the record of a shop", (it) => {
  it.effect("find a payment by its amount, remark, reference and the end of the reference, and by its day and result", function* () {
    const { baseUrl } = yield* RunningService
    const { key } = yield* Shop
    const { slip } = yield* givenRecord
    const { page } = yield* openShop(baseUrl, "/app/verifications", { key, javaScriptEnabled: false })
    const entries = () => page.locator(".entries a").allInnerTexts()
    const search = Effect.fnUntraced(function* (text: string) {
      yield* Effect.promise(async () => {
        await page.fill("#q", text)
        await page.press("#q", "Enter")
        await page.waitForURL((url) => url.searchParams.get("q") === text)
      })
      return yield* Effect.promise(entries)
    })
    const byReference = yield* search(slip.transRef)
    assert.lengthOf(byReference, 2)
    const byEnd = search(slip.transRef.slice(-6).toLowerCase())
    assert.deepStrictEqual(yield* eventually(byEnd, ({ length }) => length === 2), byReference)
    const instead = yield* Effect.promise(() => page.locator(".search-form + .hint a").allInnerTexts())
    assert.deepStrictEqual(instead, ["the remark", "the whole reference", "Clear the search"])
    assert.isTrue((yield* search("1,250.50")).every((text) => text.includes("1,250.50")))
    const byRemark = yield* search("ORDER 42")
    assert.isTrue(byRemark.length > 0 && byRemark.every((text) => text.includes("order 42")))
    assert.deepStrictEqual(yield* search("no such order"), [])
    yield* Effect.promise(async () => {
      await page.goto(`${baseUrl}/app/verifications?outcome=failed`)
      assert.isTrue((await entries()).every((text) => text.includes("Not confirmed")))
      await page.goto(`${baseUrl}/app/verifications?to=2020-01-01`)
      assert.deepStrictEqual(await entries(), [])
      const wrong = await page.goto(`${baseUrl}/app/verifications?from=2026-02-31`)
      assert.strictEqual(wrong?.status(), 400)
      const forged = await page.goto(`${baseUrl}/app/verifications?cursor=AAAA`)
      assert.strictEqual(forged?.status(), 400)
    })
  })

  it.effect("keep a note, once for each form, and send a callback again", function* () {
    const { baseUrl } = yield* RunningService
    const { key, receiver } = yield* Shop
    const { jobId } = yield* givenRecord
    const { page } = yield* openShop(baseUrl, `/app/verifications/${jobId}`, { key, javaScriptEnabled: false })
    const notes = () => page.locator(".notes p").allInnerTexts()
    yield* Effect.promise(async () => {
      await page.fill("#field-text", "x".repeat(501))
      await page.click("#notes button")
      assert.strictEqual(await page.locator("#field-text[aria-invalid]").count(), 1)
      await page.fill("#field-text", "The payer called <b>twice</b>")
      await page.click("#notes button")
      await page.waitForURL((url) => url.searchParams.get("done") === "noteAdded")
      assert.deepStrictEqual(await notes(), ["The payer called <b>twice</b>"])
      receiver.answers(200)
      await page.click("form[action='/app/settings/deliveries'] button")
      await page.waitForURL((url) => url.searchParams.get("done") === "resent")
    })
    const shown = Effect.promise(async () => {
      await page.reload()
      return page.locator(".steps").innerText()
    })
    const steps = yield* eventually(shown, (text) => text.includes("Callback delivered (200)"))
    assert.include(steps, "Callback refused by the receiver (404)")
    assert.include(steps, "Note added")
  })
})
