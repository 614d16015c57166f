import { assert, layer } from "../../support/it.ts"
import { Context, Effect, Layer } from "effect"
import { type CallbackReceiver, startCallbackReceiver } from "../../support/callback-receiver.ts"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { getPage, openConsole, signedIn, TestBrowser } from "./given-console.ts"

/** Receives the callbacks of this file. */
class Receiver extends Context.Service<Receiver, CallbackReceiver>()("test/Receiver") {}

const layerReceiver = Layer.unwrap(Effect.gen(function* () {
  // Rejects the first delivery of each callback.
  const receiver = yield* startCallbackReceiver((_, earlier) => earlier === 0 ? 410 : 200)
  return Layer.merge(layerRunningService(receiver.env), Layer.succeed(Receiver, receiver))
}))

const layerTest = Layer.merge(layerReceiver, TestBrowser.layer)

interface JobData {
  readonly jobId: string
  readonly callback: { readonly state: string }
}

/** A job that ended and whose callback was rejected. */
const refusedJob = Effect.gen(function* () {
  const { admin, call, createService } = yield* RunningService
  const { id: serviceId, mainBranch: { apiKey: key, id: branchId } } = yield* createService()
  const { url } = yield* Receiver
  const slip = newSlip()
  const body = { payload: slip.payload, remark: "order of Somchai", callbackUrl: `${url}?token=t0k3n` }
  const { data: { jobId } } = yield* call<JobData>("POST", "/v2/verify/bank/async", { key, body })
  yield* eventually(
    call<JobData>("GET", `/v2/verify/bank/jobs/${jobId}`, { key }),
    ({ data }) => data.callback.state === "rejected"
  )
  yield* eventually(
    admin<{ readonly items: ReadonlyArray<{ readonly jobId: string }> }>("GET", "/callbacks?state=rejected"),
    ({ data }) => data.items.some((item) => item.jobId === jobId)
  )
  return { branchId, jobId, key, serviceId, slip }
})

layer.live(layerTest)("the console's trail", (it) => {
  it.effect("is found by any id, slip or QR text", function* () {
    const { baseUrl, call, verify } = yield* RunningService
    const { branchId, jobId, key, serviceId, slip } = yield* refusedJob
    const { data: { verificationId } } = yield* verify(key, slip.payload)
    const batch = yield* call<{ readonly batchId: string }>("POST", "/v2/verify/bank/batch", {
      key,
      body: { slips: [{ payload: newSlip().payload }] }
    })
    const cookie = yield* signedIn(baseUrl)
    const found = (text: string) =>
      Effect.map(
        getPage(baseUrl, `/console/find?q=${encodeURIComponent(text)}`, { cookie }),
        ({ headers, status }) => [status, headers.get("location")]
      )
    const slipPath = `/console/trail/slip/004/${slip.transRef}`
    const cases: ReadonlyArray<readonly [string, string]> = [
      [jobId, `/console/trail/job/${jobId}`],
      [` ${jobId.toUpperCase()} `, `/console/trail/job/${jobId}`],
      [branchId, `/console/branches/${branchId}`],
      [serviceId, `/console/services/${serviceId}`],
      [batch.data.batchId, `/console/batches/${batch.data.batchId}`],
      [`004:${slip.transRef}`, slipPath],
      [slip.payload, slipPath]
    ]
    for (const [text, path] of cases) assert.deepStrictEqual(yield* found(text), [303, path], text)
    yield* eventually(found(verificationId), ([, path]) => path === `/console/trail/verification/${verificationId}`)
    for (const text of ["00000000-0000-4000-8000-000000000000", "hello", "004:", "/console"]) {
      assert.deepStrictEqual(yield* found(text), [404, null], text)
    }
    for (
      const path of ["job/x", `job/${serviceId}`, "slip/004/NOTHING", `verification/${serviceId}`, `branch/${jobId}`]
    ) {
      assert.strictEqual((yield* getPage(baseUrl, `/console/trail/${path}`, { cookie })).status, 404, path)
    }
  })

  it.effect("shows events with their data, without sealed data and secrets", function* () {
    const { baseUrl } = yield* RunningService
    const { jobId } = yield* refusedJob
    const { page, problems } = yield* openConsole(baseUrl, `/console/trail/job/${jobId}`)
    yield* Effect.promise(async () => {
      const lines = await page.locator(".events .what").allTextContents()
      assert.match(
        lines.join("\n"),
        /^Slip accepted.*\nJob succeeded.*\nSlip of bank 004 over 100\.00 baht, .* verified.*\nCallback to .* scheduled\nCallback attempt 1 sent.*\nCallback rejected with attempt 1: .* answered 410/u
      )
      assert.strictEqual(await page.locator(".timeline .point").count(), lines.length)
      assert.deepStrictEqual(await page.locator(".timeline text").allTextContents(), ["Job", "Slip", "Callback"])

      await page.locator(".timeline .point.bad a").click()
      const opened = page.locator(".event details[open]")
      assert.strictEqual(await opened.count(), 1)
      assert.include(await opened.textContent() ?? "", "CallbackRejected")
      await page.locator(".events summary").first().click()
      assert.strictEqual(await page.locator("dt:has-text('remark') + dd").first().textContent(), "sealed")
      const all = await page.content()
      for (const secret of ["t0k3n", "Somchai", "สมชาย"]) assert.notInclude(all, secret)
    })
    assert.deepStrictEqual(problems, [])
  })

  it.effect("shows an earlier state with the slider and the keyboard, and makes later events pale", function* () {
    const { baseUrl } = yield* RunningService
    const { jobId } = yield* refusedJob
    const { page, requests, problems } = yield* openConsole(baseUrl, `/console/trail/job/${jobId}`)
    yield* Effect.promise(async () => {
      const state = page.locator("#state")
      const status = state.locator("dt:text-is('Status') + dd")
      assert.strictEqual(await status.textContent(), "success")
      assert.strictEqual(await page.locator(".later").count(), 0)
      const before = requests.length
      await page.getByLabel("Move through the events").focus()
      await page.keyboard.press("Home")
      await status.getByText("pending").waitFor()
      assert.strictEqual(await page.locator(".event:not(.later)").count(), 1)
      assert.strictEqual(await page.locator(".point:not(.later)").count(), 1)
      assert.isTrue(
        requests.slice(before).every((url) => url.startsWith(`${baseUrl}/console/trail/job/${jobId}?at=`))
      )
      await page.keyboard.press("End")
      await status.getByText("success").waitFor()
      assert.strictEqual(await page.locator(".later").count(), 0)
    })
    assert.deepStrictEqual(problems, [])
  })

  it.effect("shows an earlier state without a script", function* () {
    const { baseUrl, call } = yield* RunningService
    const { jobId, key } = yield* refusedJob
    const { data } = yield* call<{ readonly createdAt: string }>("GET", `/v2/verify/bank/jobs/${jobId}`, { key })
    const { page } = yield* openConsole(baseUrl, `/console/trail/job/${jobId}`, { javaScriptEnabled: false })
    yield* Effect.promise(async () => {
      assert.isFalse(await page.getByLabel("Move through the events").isVisible())
      assert.isFalse(await page.getByRole("button", { name: "Copy" }).first().isVisible())
      const inBangkok = new Date(Date.parse(data.createdAt) + 7 * 3_600_000).toISOString().slice(0, -1)
      await page.getByLabel("Time in Bangkok").fill(inBangkok)
      await page.getByRole("button", { name: "Show", exact: true }).click()
      await page.waitForURL(/\?at=/u)
      assert.strictEqual(await page.locator("#state dt:text-is('Status') + dd").textContent(), "pending")
      assert.strictEqual(await page.locator(".event:not(.later)").count(), 1)
      await page.goto(`${baseUrl}/console/trail/job/${jobId}?at=2000-01-01`)
      await page.getByText("Nothing existed at that time.").waitFor()
      await page.goto(`${baseUrl}/console/trail/job/${jobId}?at=yesterday`)
      await page.getByRole("alert").getByText("Not a valid time").waitFor()
    })
  })

  it.effect("lists rejected callbacks and resends them", function* () {
    const { baseUrl } = yield* RunningService
    const { arrivals } = yield* Receiver
    const { jobId } = yield* refusedJob
    const { page, problems } = yield* openConsole(baseUrl, "/console/callbacks")
    yield* Effect.promise(async () => {
      await page.getByRole("link", { name: "Rejected" }).click()
      const row = page.locator("tr", { hasText: jobId })
      assert.include(await row.textContent() ?? "", "410")
      await row.getByRole("button", { name: `Resend ${jobId}` }).click()
      await page.getByRole("status").getByText("Resending.").waitFor()
    })
    yield* eventually(Effect.sync(() => arrivals.filter((one) => one.jobId === jobId)), (all) => all.length === 2)
    const delivered = Effect.promise(async () => {
      await page.goto(`${baseUrl}/console/callbacks?state=delivered`)
      return page.locator("tr", { hasText: jobId }).count()
    })
    yield* eventually(delivered, (count) => count === 1)
    assert.deepStrictEqual(problems, [])
  })

  it.effect("shows the use of a quota as a chart and as a table", function* () {
    const { baseUrl, createService, verify } = yield* RunningService
    const { mainBranch: { apiKey, id } } = yield* createService({ quota: 5 })
    for (let count = 0; count < 3; count++) yield* verify(apiKey, newSlip().payload)
    const { page } = yield* openConsole(baseUrl, `/console/branches/${id}`)
    const shown = Effect.promise(async () => {
      await page.reload()
      return page.locator("section:has(#quota) .big").textContent()
    })
    yield* eventually(shown, (text) => text === "3 of 5 used")
    yield* Effect.promise(async () => {
      assert.strictEqual(await page.locator(".plot .limit").count(), 1)
      assert.match(await page.locator(".plot g title").last().textContent() ?? "", /: 3, total 3$/u)
      await page.getByText("Show as table").click()
      assert.match(await page.locator("section:has(#quota) tbody tr").last().textContent() ?? "", /33$/u)
      await page.goto(`${baseUrl}/console/branches/${id}?month=2020-02`)
      assert.strictEqual(await page.locator("section:has(#quota) .big").textContent(), "0 of 5 used")
      assert.strictEqual(await page.locator(".plot g").count(), 29)
    })
  })
})
