import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { formTokenIn, getPage, sendForm, signedIn } from "./given-console.ts"

/** A signed-in operator and a service, before the failure. */
const given = Effect.gen(function* () {
  const engines = yield* startSharedEngines
  const service = yield* engines.service({ ROLES: "http,projector" })
  const { baseUrl } = service
  const { id, mainBranch } = yield* service.createService({ name: "Open shop" })
  const cookie = yield* signedIn(baseUrl)
  const read = Effect.fnUntraced(function* (path: string, language = "en") {
    const answer = yield* getPage(baseUrl, path, { cookie, headers: { "accept-language": language } })
    return { status: answer.status, text: yield* Effect.promise(() => answer.text()) }
  }, Effect.timeout("5 seconds"))
  const csrf = formTokenIn((yield* read("/console/services/new")).text)
  const act = Effect.fnUntraced(function* (path: string, form: Readonly<Record<string, string>> = {}) {
    const { headers, status } = yield* sendForm(baseUrl, path, { csrf, ...form }, { cookie })
    return [status, headers.get("location")]
  })
  const paths = { branch: `/console/branches/${mainBranch.id}`, service: `/console/services/${id}` }
  return { engines, read, act, paths }
})

const UNAVAILABLE = "Currently unavailable"

describe("the console while a store is unavailable", () => {
  it.live("shows and changes branches and services without read models", function* () {
    const { act, engines, paths, read } = yield* given
    yield* engines.redis.stop()

    const deactivated = `${paths.branch}?done=deactivated&not-visible=1`
    assert.deepStrictEqual(yield* act(`${paths.branch}/deactivate`), [303, deactivated])
    const branch = yield* read(deactivated)
    assert.strictEqual(branch.status, 200)
    for (const shown of ["Deactivated.", "The change is stored.", `${paths.branch}/activate`, UNAVAILABLE]) {
      assert.include(branch.text, shown)
    }
    const banned = yield* act(`${paths.service}/ban`, { confirm: "Open shop" })
    assert.deepStrictEqual(banned, [303, `${paths.service}?done=banned&not-visible=1`])
    const service = yield* read(paths.service)
    assert.strictEqual(service.status, 200)
    for (const shown of ["Open shop", `${paths.service}/unban`, UNAVAILABLE]) assert.include(service.text, shown)
  })

  it.live("reports the failure in the language of the page, not as a rejection", function* () {
    const { engines, paths, read } = yield* given
    yield* engines.log.kill
    const trail = paths.branch.replace("branches", "trail/branch")
    for (const path of [paths.branch, paths.service, trail, "/console/projections"]) {
      const { status, text } = yield* read(path)
      assert.deepStrictEqual([status, text.includes(`<h1>${UNAVAILABLE}</h1>`)], [500, true], path)
      assert.notInclude(text, "External API error")
      const thai = yield* read(path, "th")
      assert.include(thai.text, "<h1>ใช้งานไม่ได้ในขณะนี้</h1>")
      assert.include(thai.text, "ที่เก็บเหตุการณ์")
    }
    assert.strictEqual((yield* read("/console")).status, 200)
  })
})
