import { assert, layer } from "../../support/it.ts"
import { Effect } from "effect"
import { newSlip } from "../../support/client.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { getPage, signedIn } from "./given-console.ts"

const unescaped = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&")

/** The targets of the links in a part of a page. */
const linksIn = (html: string): ReadonlyArray<string> =>
  Array.from(html.matchAll(/href="([^"]+)"/gu), ([, href = ""]) => unescaped(href))

/** The rows of the table of a page. */
const rowsIn = (html: string): ReadonlyArray<string> => /<tbody>(.*)<\/tbody>/su.exec(html)?.[1]?.split("</tr>") ?? []

layer.live(layerRunningService())("the console's audit", (it) => {
  it.effect("lists acts with links that filter by each value, in both languages", function* () {
    const { admin, baseUrl, createService, verify } = yield* RunningService
    const { mainBranch: { apiKey, id } } = yield* createService({ quota: 10 })
    const slip = newSlip()
    yield* verify(apiKey, slip.payload)
    const ofSlip = `${slip.sendingBank}:${slip.transRef}`
    const revealed = yield* admin("GET", `/trail?slip=${ofSlip}&reveal=true`)
    assert.strictEqual(revealed.status, 200)
    const cookie = yield* signedIn(baseUrl)
    const page = Effect.fnUntraced(function* (query: string, language = "en") {
      const answer = yield* getPage(baseUrl, `/console/audit${query}`, {
        cookie,
        headers: { "accept-language": language }
      })
      assert.strictEqual(answer.status, 200, query)
      return yield* Effect.promise(() => answer.text())
    })
    const all = yield* page("")
    const newest = rowsIn(all).find((row) => row.includes("Personal data shown to ADMIN_TOKEN")) ?? ""
    const narrowing = linksIn(newest).filter((href) => href.startsWith("/console/audit?"))
    assert.sameMembers(narrowing.map((href) => new URLSearchParams(href.split("?")[1]).keys().next().value ?? ""), [
      "operator",
      "kind",
      "subject"
    ])
    for (const href of narrowing) {
      const narrowed = yield* page(href.slice("/console/audit".length))
      assert.include(narrowed, "Personal data shown to ADMIN_TOKEN", href)
      // The filter in force links to the list without it.
      assert.include(linksIn(/<ul class="tabs">(.*?)<\/ul>/su.exec(narrowed)?.[1] ?? ""), "/console/audit")
    }
    const bySlip = yield* page(`?subject=${encodeURIComponent(ofSlip)}&kind=&from=`)
    assert.lengthOf(rowsIn(bySlip).filter((row) => row.includes("<td")), 1)
    assert.include(yield* page(`?subject=${id.toUpperCase()}&kind=QuotaSet`), "Quota set to 10 per month")
    assert.include(yield* page(`?subject=${id}&kind=QuotaSet`, "th"), "บันทึกการใช้งาน")
    assert.include(yield* page("?operator=stranger"), "No such acts.")
    const first = yield* page("?limit=1")
    const next = linksIn(first).find((href) => href.includes("cursor="))
    assert.isDefined(next)
    assert.notStrictEqual(rowsIn(yield* page(next.slice("/console/audit".length)))[0], rowsIn(first)[0])
    const wrong = yield* getPage(baseUrl, "/console/audit?from=soon", { cookie })
    assert.strictEqual(wrong.status, 400)
  })
})
