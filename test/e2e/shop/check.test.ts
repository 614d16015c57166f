import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { satang } from "../../../domain/money.ts"
import { TRUEMONEY } from "../../../domain/slip/wallet-payload.ts"
import { WALLET_RECEIVER } from "../../../infrastructure/adapters/banks/sandbox/receivers.ts"
import { newSlip } from "../../support/client.ts"
import { RunningService } from "../../support/service.ts"
import { formTokenIn, getPage, TestBrowser } from "../console/given-console.ts"
import { layerShop, Shop } from "../given-shop.ts"
import { headline, openShop, pictureOf, signedInAs } from "./given-shop-page.ts"

const layerTest = Layer.merge(TestBrowser.layer, layerShop())

/** Sends a form of the page as a browser does. */
const post = (baseUrl: string, cookie: string, fields: Readonly<Record<string, string | Blob>>) =>
  Effect.promise(async (signal) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    const answer = await fetch(`${baseUrl}/app`, {
      method: "POST",
      body,
      signal,
      redirect: "manual",
      headers: { origin: baseUrl, cookie }
    })
    return { status: answer.status, headers: answer.headers, html: await answer.text() }
  })

const given = Effect.gen(function* () {
  const { baseUrl } = yield* RunningService
  const { key } = yield* Shop
  const cookie = yield* signedInAs(baseUrl, key)
  const page = yield* Effect.flatMap(
    getPage(baseUrl, "/app", { cookie }),
    (answer) => Effect.promise(() => answer.text())
  )
  const form = /name="form" value="([^"]+)"/u.exec(page)?.[1] ?? ""
  return { baseUrl, cookie, key, fields: { csrf: formTokenIn(page), form } }
})

const titleIn = (html: string): string => /<h1[^>]*>([^<]*)<\/h1>/u.exec(html)?.[1] ?? ""

layer.live(layerTest)("checking slips on the shop's page", (it) => {
  it.effect("a clerk checks a good slip, the same slip again, and one with a wrong amount", function* () {
    const { baseUrl } = yield* RunningService
    const { key } = yield* Shop
    const { page, problems } = yield* openShop(baseUrl, "/app", { key })
    const picture = yield* pictureOf(newSlip({ amount: satang(250_00) }))
    const check = (amount: string, file: typeof picture) =>
      Effect.promise(async () => {
        await page.fill("#amount", amount)
        await page.setInputFiles("#picture", file)
        await page.waitForSelector(".verdict")
      })

    yield* check("250", picture)
    assert.strictEqual(yield* headline(page), "Accepted")
    assert.include(yield* Effect.promise(() => page.innerText(".verdict")), "฿250.00")
    assert.strictEqual(yield* Effect.promise(() => page.evaluate("document.activeElement.id")), "verdict-title")
    yield* Effect.promise(() => page.click(".next a"))

    yield* check("250", picture)
    assert.strictEqual(yield* headline(page), "Already used")
    assert.include(yield* Effect.promise(() => page.innerText("main")), "This branch")
    yield* Effect.promise(() => page.click(".next a"))

    yield* Effect.promise(() => page.check("[name=keep]"))
    yield* check("1,300.50", yield* pictureOf(newSlip({ amount: satang(1_000_00) })))
    assert.strictEqual(yield* headline(page), "Wrong amount")
    const facts = yield* Effect.promise(() => page.innerText("main"))
    assert.include(facts, "฿1,300.50")
    assert.include(facts, "฿300.50")
    yield* Effect.promise(() => page.click(".next a"))
    assert.strictEqual(yield* Effect.promise(() => page.inputValue("#amount")), "1,300.50")
    assert.deepStrictEqual(problems, [])
  })

  it.effect("a form that is sent twice at once is one verification, and its answer stays the same", function* () {
    const { baseUrl, cookie, fields } = yield* given
    const slip = { ...fields, payload: newSlip().payload }
    const answers = yield* Effect.all([post(baseUrl, cookie, slip), post(baseUrl, cookie, slip)], { concurrency: 2 })
    assert.deepStrictEqual(answers.map(({ html }) => titleIn(html)), ["Accepted", "Accepted"])
    assert.strictEqual(titleIn((yield* post(baseUrl, cookie, slip)).html), "Accepted")
    const another = { ...slip, form: "7d4c6f0e-5a36-4be1-8f0c-0d9d5d0b2c11" }
    assert.strictEqual(titleIn((yield* post(baseUrl, cookie, another)).html), "Already used")
  })

  it.effect("works without JavaScript", function* () {
    const { baseUrl } = yield* RunningService
    const { key } = yield* Shop
    const { page } = yield* openShop(baseUrl, "/app", { key, javaScriptEnabled: false })
    const picture = yield* pictureOf(newSlip())
    yield* Effect.promise(async () => {
      await page.setInputFiles("#picture", picture)
      await page.click("#send")
    })
    assert.strictEqual(yield* headline(page), "Accepted")
  })

  it.effect("checks a picture and a text that are pasted", function* () {
    const { baseUrl } = yield* RunningService
    const { key } = yield* Shop
    const { page } = yield* openShop(baseUrl, "/app", { key })
    const paste = (text: string) =>
      Effect.promise(async () => {
        await page.evaluate((text) => {
          const clipboardData = new DataTransfer()
          clipboardData.setData("text/plain", text)
          document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }))
        }, text)
        await page.waitForSelector(".verdict")
      })
    yield* paste(newSlip().payload)
    assert.strictEqual(yield* headline(page), "Accepted")
    yield* Effect.promise(async () => {
      await page.click(".next a")
      await page.waitForSelector("#picture")
      // The page's script reads what is pasted, and is loaded then.
      await page.waitForLoadState()
    })
    yield* paste("https://shop.example/")
    assert.strictEqual(yield* headline(page), "Not a slip")
  })

  it.effect("says what to do about a slip that is not found, unreadable, of TrueMoney, or no picture", function* () {
    const { baseUrl, cookie, fields } = yield* given
    const titleOf = (slip: Readonly<Record<string, string | Blob>>) =>
      Effect.map(post(baseUrl, cookie, { ...fields, ...slip }), ({ html, status }) => [status, titleIn(html)])
    const blank = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64"
    )
    const wallet = newSlip({ bank: TRUEMONEY, receiver: WALLET_RECEIVER.index })
    assert.deepStrictEqual(yield* titleOf({ payload: newSlip({ outcome: "not-found" }).payload }), [404, "Not found"])
    assert.deepStrictEqual(yield* titleOf({ picture: new Blob([blank]) }), [404, "QR code not readable"])
    assert.deepStrictEqual(yield* titleOf({ picture: new Blob(["text"]) }), [400, "Not a picture"])
    assert.deepStrictEqual(yield* titleOf({ payload: wallet.payload }), [404, "TrueMoney slip"])
    const { buffer } = yield* pictureOf(wallet)
    assert.deepStrictEqual(yield* titleOf({ picture: new Blob([buffer]) }), [200, "Accepted"])
  })

  it.effect("shows a form that is not complete again, with what is missing", function* () {
    const { baseUrl, cookie, fields } = yield* given
    const empty = yield* post(baseUrl, cookie, fields)
    assert.strictEqual(empty.status, 400)
    assert.include(empty.html, "Choose a picture of the slip, or paste the text of its QR code.")
    const wrong = yield* post(baseUrl, cookie, { ...fields, payload: newSlip().payload, amount: "<b>12x" })
    assert.strictEqual(wrong.status, 400)
    assert.include(wrong.html, "An amount in baht, such as 250 or 1,250.50.")
    assert.include(wrong.html, 'value="&lt;b&gt;12x"')
  })

  it.effect("reads amounts as people type them", function* () {
    const { baseUrl, cookie, fields } = yield* given
    for (const amount of ["๑,๒๕๐.๕๐", " 1 250.5 บาท", "฿1,250.50"]) {
      const { payload } = newSlip({ amount: satang(1_250_50) })
      assert.strictEqual(titleIn((yield* post(baseUrl, cookie, { ...fields, payload, amount })).html), "Accepted")
    }
  })

  it.effect("a slip that the bank cannot confirm becomes a job, whose page counts down and sends no callback", function* () {
    const { baseUrl, cookie, fields } = yield* given
    const { createService } = yield* RunningService
    const { payload } = newSlip({ outcome: "pending" })
    const first = yield* post(baseUrl, cookie, { ...fields, payload })
    assert.strictEqual(first.status, 303)
    const path = first.headers.get("location") ?? ""
    assert.match(path, /^\/app\/jobs\/[0-9a-f-]{36}$/u)
    assert.strictEqual((yield* post(baseUrl, cookie, { ...fields, payload })).headers.get("location"), path)
    const page = yield* getPage(baseUrl, path, { cookie })
    assert.strictEqual(page.status, 200)
    assert.include(yield* Effect.promise(() => page.text()), 'id="countdown"')

    const stranger = yield* signedInAs(baseUrl, (yield* createService()).mainBranch.apiKey)
    assert.strictEqual((yield* getPage(baseUrl, path, { cookie: stranger })).status, 404)
  })

  it.effect("a TrueMoney picture that cannot be confirmed yet is sent again by the clerk, with the same amount", function* () {
    const { baseUrl, cookie, fields } = yield* given
    const { buffer } = yield* pictureOf(
      newSlip({ bank: TRUEMONEY, receiver: WALLET_RECEIVER.index, outcome: "pending" })
    )
    const answer = yield* post(baseUrl, cookie, { ...fields, amount: "1,250.50", picture: new Blob([buffer]) })
    assert.deepStrictEqual([answer.status, titleIn(answer.html)], [404, "Not confirmed yet"])
    assert.include(answer.html, "check the same picture again")
    assert.match(answer.html, /href="\/app\?amount=1%2C250\.50">Check the picture again</u)
    assert.match(answer.html, /href="\/app">Next slip</u)
  })
})
