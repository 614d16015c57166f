import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { formTokenIn, look, sendForm, signedIn } from "./given-console.ts"

/** Somebody who signed in while all was well, and a service of theirs. */
const given = Effect.gen(function* () {
  const engines = yield* startSharedEngines
  const service = yield* engines.service({ ROLES: "http,projector" })
  const { baseUrl } = service
  const { id, mainBranch } = yield* service.createService({ name: "Open shop" })
  const cookie = yield* signedIn(baseUrl)
  const read = Effect.fnUntraced(function* (path: string, language = "en") {
    const answer = yield* look(baseUrl, path, { cookie, headers: { "accept-language": language } })
    return { status: answer.status, text: yield* Effect.promise(() => answer.text()) }
  }, Effect.timeout("5 seconds"))
  const csrf = formTokenIn((yield* read("/console/services/new")).text)
  const act = Effect.fnUntraced(function* (path: string) {
    const { headers, status } = yield* sendForm(baseUrl, path, { csrf }, { cookie })
    return [status, headers.get("location")]
  })
  const paths = { branch: `/console/branches/${mainBranch.id}`, service: `/console/services/${id}` }
  return { engines, read, act, paths }
})

const AWAY = "Not to be had at the moment"

describe("the console while an engine is away", () => {
  it.live(
    "without read models lets branches and services be looked at and changed all the same",
    () =>
      Effect.gen(function* () {
        const { act, engines, paths, read } = yield* given
        yield* engines.redis.stop()

        assert.deepStrictEqual(yield* act(`${paths.branch}/deactivate`), [303, `${paths.branch}?done=deactivated`])
        const branch = yield* read(`${paths.branch}?done=deactivated`)
        assert.strictEqual(branch.status, 200)
        for (const shown of ["Switched off", `${paths.branch}/activate`, AWAY]) assert.include(branch.text, shown)
        assert.deepStrictEqual(yield* act(`${paths.service}/ban`), [303, `${paths.service}?done=banned`])
        const service = yield* read(paths.service)
        assert.strictEqual(service.status, 200)
        for (const shown of ["Open shop", `${paths.service}/unban`, AWAY]) assert.include(service.text, shown)
      }),
    60_000
  )

  it.live(
    "says that it is away in the reader's language, not that something was refused",
    () =>
      Effect.gen(function* () {
        const { engines, paths, read } = yield* given
        yield* engines.log.kill
        const trail = paths.branch.replace("branches", "trail/branch")
        for (const path of [paths.branch, paths.service, trail, "/console/projections"]) {
          const { status, text } = yield* read(path)
          assert.deepStrictEqual([status, text.includes(`<h1>${AWAY}</h1>`)], [500, true], path)
          assert.notInclude(text, "External API error")
          const thai = yield* read(path, "th")
          assert.include(thai.text, "<h1>ใช้งานไม่ได้ในขณะนี้</h1>")
          assert.include(thai.text, "ที่เก็บเหตุการณ์")
        }
        assert.strictEqual((yield* read("/console")).status, 200)
      }),
    60_000
  )
})
