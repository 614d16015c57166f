import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { getPage, openConsole, signedIn, TestBrowser } from "./given-console.ts"

const layerTest = Layer.merge(layerRunningService(), TestBrowser.layer)

/** Verifies a slip with a caller's own request id. Returns the service's id too. */
const verifyAs = Effect.fnUntraced(function* (clientRequestId: string, payload: string) {
  const { call, createService } = yield* RunningService
  const { mainBranch: { apiKey: key } } = yield* createService()
  const { data, headers } = yield* call<{ readonly verificationId: string }>("POST", "/v2/verify/bank", {
    key,
    headers: { "x-request-id": clientRequestId },
    body: { payload }
  })
  return { verificationId: data.verificationId, requestId: headers.get("x-request-id") ?? "" }
})

/** A batch whose jobs have ended, and the id of its request. */
const endedBatch = Effect.gen(function* () {
  const { call, createService } = yield* RunningService
  const { mainBranch: { apiKey: key, id: branchId } } = yield* createService()
  const body = { slips: [{ payload: newSlip().payload }, { payload: newSlip().payload }] }
  const { data: { batchId }, headers } = yield* call<{ readonly batchId: string }>("POST", "/v2/verify/bank/batch", {
    key,
    body
  })
  yield* eventually(
    call<{ readonly counts: { readonly success: number } }>("GET", `/v2/verify/bank/batches/${batchId}`, { key }),
    ({ data }) => data.counts.success === 2
  )
  return { batchId, branchId, requestId: headers.get("x-request-id") ?? "" }
})

layer.live(layerTest)("a request in the console", (it) => {
  it.effect("is found by its id in any form that a caller may choose", function* () {
    const { baseUrl } = yield* RunningService
    const cookie = yield* signedIn(baseUrl)
    const find = (text: string) =>
      Effect.map(
        getPage(baseUrl, `/console/find?q=${encodeURIComponent(text)}`, { cookie }),
        ({ headers, status }) => [status, headers.get("location")]
      )
    for (
      const id of [
        "Order.42",
        "..",
        "shop:42",
        "0AF7651916cd43dd8448eb211c80319c-00f067aa0ba902b7",
        crypto.randomUUID()
      ]
    ) {
      yield* verifyAs(id, newSlip().payload)
      assert.deepStrictEqual(yield* find(` ${id} `), [303, `/console/request?id=${encodeURIComponent(id)}`], id)
    }
    // A request id may look like a slip. The slip comes first once it has events.
    const slip = newSlip()
    const name = `${slip.sendingBank}:${slip.transRef}`
    yield* verifyAs(name, newSlip().payload)
    assert.deepStrictEqual(yield* find(name), [303, `/console/request?id=${encodeURIComponent(name)}`])
    yield* verifyAs("another", slip.payload)
    assert.deepStrictEqual(yield* find(name), [303, `/console/trail/slip/004/${slip.transRef}`])

    assert.deepStrictEqual(yield* find("order.42"), [404, null])
    assert.strictEqual((yield* getPage(baseUrl, "/console/request?id=order.42", { cookie })).status, 404)
    assert.strictEqual((yield* getPage(baseUrl, "/console/request", { cookie })).status, 404)
  })

  it.effect("shows its events and links to their subjects", function* () {
    const { baseUrl } = yield* RunningService
    const { batchId, branchId, requestId } = yield* endedBatch
    const { page, problems } = yield* openConsole(baseUrl, "/console")
    yield* Effect.promise(async () => {
      await page.getByRole("searchbox").fill(requestId)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Request" }).waitFor()
      const lines = await page.locator(".events .what").allTextContents()
      assert.lengthOf(lines.filter((line) => line.startsWith("Slip accepted")), 2)
      assert.lengthOf(lines.filter((line) => line.startsWith("Job succeeded")), 2)
      assert.strictEqual(await page.locator(".timeline .point").count(), lines.length)
      const links = await page.locator("dl.facts a").evaluateAll((all) => all.map((one) => one.getAttribute("href")))
      assert.lengthOf(links, 5)
      assert.includeMembers(links, [`/console/batches/${batchId}`, `/console/branches/${branchId}`])
      await page.locator("dl.facts a[href*='/trail/job/']").first().click()
      await page.getByRole("heading", { name: /^Job /u }).waitFor()
    })
    assert.deepStrictEqual(problems, [])
  })

  it.effect("is shown in Thai with the same event texts", function* () {
    const { baseUrl } = yield* RunningService
    const id = "thai-42"
    const { requestId, verificationId } = yield* verifyAs(id, newSlip().payload)
    const { page, problems } = yield* openConsole(baseUrl, `/console/request?id=${id}`, {
      locale: "th-TH",
      width: 360
    })
    yield* Effect.promise(async () => {
      assert.include(await page.locator("h1").textContent() ?? "", `คำขอ ${id}`)
      assert.match(
        await page.locator(".events .what").first().textContent() ?? "",
        /^ตรวจสลิปของธนาคาร 004 ยอด 100\.00 บาท /u
      )
      assert.strictEqual(
        await page.locator(`dl.facts a[href='/console/trail/verification/${verificationId}']`).count(),
        1
      )
      await page.locator("dl.facts a", { hasText: requestId }).click()
      await page.locator(`dl.facts a[href='/console/request?id=${id}']`).waitFor()
    })
    assert.deepStrictEqual(problems, [])
  })
})
