import { assert, layer } from "../../support/it.ts"
import { Effect, Layer } from "effect"
import { satang } from "../../../domain/money.ts"
import { newSlip } from "../../support/client.ts"
import { eventually } from "../../support/eventually.ts"
import { newOperator } from "../../support/operators.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { getPage, openConsole, signedIn, TestBrowser } from "./given-console.ts"

const unescaped = (text: string): string => text.replaceAll("&quot;", '"').replaceAll("&amp;", "&")

/** The rows of all tables of a page. */
const rowsIn = (html: string): ReadonlyArray<string> =>
  Array.from(html.matchAll(/<tbody>(.*?)<\/tbody>/gsu), ([, body = ""]) => body.split("</tr>").slice(0, -1)).flat()

/** The targets of the links in a page. */
const linksIn = (html: string): ReadonlyArray<string> =>
  Array.from(html.matchAll(/href="([^"]+)"/gu), ([, href = ""]) => unescaped(href))

const opened = Effect.fnUntraced(function* (path: string, language = "en") {
  const { baseUrl } = yield* RunningService
  const cookie = yield* signedIn(baseUrl)
  const answer = yield* getPage(baseUrl, path, { cookie, headers: { "accept-language": language } })
  return {
    status: answer.status,
    location: answer.headers.get("location"),
    html: yield* Effect.promise(() => answer.text())
  }
})

const found = (text: string) => opened(`/console/find?q=${encodeURIComponent(text)}`)

/** A shop that verified a slip, its duplicate, and a slip that no bank knows. */
const shop = Effect.fnUntraced(function* (name: string, amount: number) {
  const { createBranch, createService, verify } = yield* RunningService
  const { id: serviceId, mainBranch } = yield* createService({ name, quota: null })
  const other = yield* createBranch(serviceId, { name: `${name} till` })
  const slip = newSlip({ amount: satang(amount * 100) })
  const lost = newSlip({ outcome: "not-found" })
  const first = yield* verify(mainBranch.apiKey, { payload: slip.payload, remark: `Order of ${name}` })
  const again = yield* verify(other.apiKey, slip.payload)
  const failed = yield* verify(mainBranch.apiKey, lost.payload)
  assert.deepStrictEqual([first.status, again.status, failed.status], [200, 200, 404])
  const ids = [first, again].map(({ data }) => data.verificationId)
  yield* eventually(opened(`/console/verifications?service=${serviceId}`), ({ html }) => rowsIn(html).length === 3)
  return { serviceId, branchId: mainBranch.id, till: other.id, key: mainBranch.apiKey, slip, lost, ids }
})

const layerTest = Layer.merge(layerRunningService(), TestBrowser.layer)

layer.live(layerTest)("the console's lists", (it) => {
  it.effect("of verifications narrow by links, and each active filter can be removed", function* () {
    const { branchId, ids, serviceId, till } = yield* shop("Narrow", 11)
    const path = `/console/verifications?service=${serviceId}`
    const all = yield* opened(path)
    assert.strictEqual(all.status, 200)
    const [failed = "", duplicate = "", first = ""] = rowsIn(all.html)
    assert.include(failed, "SLIP_NOT_FOUND")
    assert.include(duplicate, `/console/branches/${till}`)
    for (const part of [`/console/services/${serviceId}`, "Narrow", "Main", "Verified", "11.00 baht", ids[0] ?? ""]) {
      assert.include(first, part)
    }
    assert.include(first, `data-copy="${ids[0] ?? ""}"`)

    const outcomes = linksIn(all.html).filter((href) => href.includes("outcome="))
    assert.deepStrictEqual(
      outcomes,
      ["verified", "duplicate", "failed"].map((outcome) => `${path}&outcome=${outcome}`)
    )
    for (
      const [query, count] of [["outcome=verified", 1], ["isDuplicate=true", 1], ["minAmount=11", 2], [
        `branch=${till}`,
        1
      ]]
    ) {
      const { html } = yield* opened(`${path}&${query}`)
      assert.lengthOf(rowsIn(html), Number(count), String(query))
      assert.include(linksIn(html), path, "removes the filter")
    }
    assert.lengthOf(rowsIn((yield* opened(`${path}&from=2000-01-01&to=2000-01-02`)).html), 0)
    assert.include((yield* opened(`${path}&branch=${branchId}`)).html, "Service: Narrow")
  })

  it.effect("of verifications have pages without a gap or a repetition", function* () {
    const { serviceId } = yield* shop("Pages", 12)
    const seen: Array<string> = []
    let path: string | undefined = `/console/verifications?service=${serviceId}&limit=2`
    while (path !== undefined) {
      const { html }: { readonly html: string } = yield* opened(path)
      seen.push(...rowsIn(html).map((row) => /data-copy="([^"]+)"/u.exec(row)?.[1] ?? ""))
      path = linksIn(html).find((href) => href.includes("cursor="))
    }
    assert.lengthOf(seen, 3)
    assert.lengthOf([...new Set(seen)], 3)
  })

  it.effect("show wrong filters as errors in the language of the page", function* () {
    const wrong = [
      ["verifications", "outcome=lost"],
      ["verifications", "from=2026-02-31"],
      ["verifications", "from=2026-11-21&to=2026-11-20"],
      ["verifications", "minAmount=x"],
      ["verifications", "reference=a%20b"],
      ["verifications", "branch=%00"],
      ["verifications", "accepted=perhaps"],
      ["verifications", "cursor=1"],
      ["verifications", "limit=0"],
      ["jobs", "state=constructor"],
      ["jobs", "from=tomorrow"],
      ["callbacks", "state=lost"],
      ["callbacks", "host=a/b"]
    ] as const
    for (const [list, query] of wrong) {
      const { html, status } = yield* opened(`/console/${list}?${query}`)
      assert.strictEqual(status, 400, query)
      assert.include(html, 'role="alert"', query)
      assert.include(html, 'class="card filterbar"', query)
    }
    const thai = yield* opened("/console/verifications?minAmount=x", "th")
    assert.include(thai.html, "จำนวนบาท")
  })

  it.effect("of jobs and callbacks name the shop, and link to the trail", function* () {
    const { call } = yield* RunningService
    const { branchId, key } = yield* shop("Jobs", 13)
    const { data: { jobId } } = yield* call<{ readonly jobId: string }>("POST", "/v2/verify/bank/async", {
      key,
      body: { payload: newSlip().payload, callbackUrl: "https://nowhere.example/hook" }
    })
    const jobs = yield* eventually(
      opened(`/console/jobs?state=success&branch=${branchId}`),
      ({ html }) => rowsIn(html).length === 1
    )
    for (const part of ["Jobs", "Main", "success", `/console/trail/job/${jobId}`]) assert.include(jobs.html, part)
    const callbacks = yield* eventually(
      opened("/console/callbacks?host=nowhere.example"),
      ({ html }) => rowsIn(html).length === 1
    )
    for (const part of [`/console/branches/${branchId}`, "nowhere.example", "Waiting"]) {
      assert.include(rowsIn(callbacks.html)[0] ?? "", part)
    }
    assert.include(linksIn(callbacks.html), "/console/callbacks?host=nowhere.example&state=delivered")
    const { location } = yield* found("https://nowhere.example/hook")
    assert.strictEqual(location, "/console/callbacks?host=nowhere.example")
  })
})

layer.live(layerTest)("the console's search", (it) => {
  it.effect("goes straight to the only thing that a text means", function* () {
    const { ids, lost, serviceId, slip, till } = yield* shop("Straight", 21.25)
    const slipPath = `/console/trail/slip/004/${slip.transRef}`
    const cases: ReadonlyArray<readonly [string, string]> = [
      [slip.transRef, slipPath],
      [` ${slip.transRef.toLowerCase()} `, slipPath],
      [`KBANK:${slip.transRef}`, slipPath],
      [slip.payload, slipPath],
      [ids[0] ?? "", `/console/trail/verification/${ids[0]}`],
      ["straight TILL", `/console/branches/${till}`],
      [serviceId, `/console/services/${serviceId}`],
      ["order  OF straight", `/console/trail/verification/${ids[0]}`]
    ]
    for (const [text, path] of cases) {
      const { location, status } = yield* found(text)
      assert.deepStrictEqual([status, location], [303, path], text)
    }
    const unknown = yield* found(lost.transRef.slice(-6).toLowerCase())
    assert.match(unknown.location ?? "", /^\/console\/trail\/verification\//u)
  })

  it.effect("lists what else a text can mean, without references, names and numbers", function* () {
    const { slip } = yield* shop("Several", 31.75)
    const tail = yield* found(slip.transRef.slice(-6))
    assert.strictEqual(tail.status, 200)
    const rows = rowsIn(tail.html)
    assert.lengthOf(rows, 2)
    assert.include(rows[0] ?? "", "Duplicate")
    assert.include(rows[1] ?? "", "Verified")
    assert.notInclude(tail.html, slip.transRef)

    const amount = yield* found("฿31.75")
    assert.lengthOf(rowsIn(amount.html), 2)
    const names = yield* found("several")
    assert.lengthOf(rowsIn(names.html), 2)
    assert.include(names.html, "Several · Several till")
  })

  it.effect("says how it read a text that it does not find, and what to try", function* () {
    const { html, status } = yield* found("ZZZZ99")
    assert.strictEqual(status, 404)
    for (const part of ["Nothing was found", "the last six characters", "a remark", "0.1.0", "whole reference"]) {
      assert.include(html, part)
    }
    const short = yield* found("<b>99")
    assert.strictEqual(short.status, 404)
    assert.include(short.html, "&lt;b&gt;99")
    assert.strictEqual((yield* found("x".repeat(600))).status, 400)
  })

  it.effect("lets support find a slip by the end of its reference, with the answer that the shop received", function* () {
    const service = yield* RunningService
    const { baseUrl } = service
    const { slip } = yield* shop("Told", 41)
    const token = yield* newOperator(service, "nok", "support")
    const { page, problems } = yield* openConsole(baseUrl, "/console")
    yield* Effect.promise(async () => {
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByLabel("Token").fill(token)
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByRole("searchbox").fill(slip.transRef.slice(-6).toLowerCase())
      await page.keyboard.press("Enter")
      const row = page.getByRole("row").filter({ hasText: "Duplicate" })
      await row.waitFor()
      assert.include(await row.textContent() ?? "", "Told till")
      await row.getByRole("link", { name: "Open" }).click()
      await page.waitForURL(/\/console\/trail\/verification\//u)
      assert.match(await page.locator("main").textContent() ?? "", /a duplicate; charged 1 unit/u)
    })
    assert.deepStrictEqual(problems, [])
  })

  it.effect("copies the whole id of a row", function* () {
    const { baseUrl } = yield* RunningService
    const { ids, serviceId } = yield* shop("Copies", 51)
    const { page } = yield* openConsole(baseUrl, `/console/verifications?service=${serviceId}&outcome=verified`)
    const shown = yield* Effect.promise(async () => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
      const { width } = await page.locator("td .short").boundingBox() ?? { width: 0 }
      await page.getByRole("button", { name: `Copy ${ids[0]}` }).click()
      await page.getByText("Copied").waitFor()
      return { width, copied: await page.evaluate(() => navigator.clipboard.readText()) }
    })
    assert.strictEqual(shown.copied, ids[0])
    assert.isBelow(shown.width, 100)
  })
})
