import { assert, describe, it, layer } from "../../support/it.ts"
import { Effect } from "effect"
import { eventually } from "../../support/eventually.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { formTokenIn, getPage, sendForm, signedIn } from "./given-console.ts"

/** Signs out of one session, or of all. */
const signOut = Effect.fnUntraced(function* (baseUrl: string, cookie: string, path = "/console/logout") {
  const page = yield* getPage(baseUrl, "/console", { cookie })
  const csrf = formTokenIn(yield* Effect.promise(() => page.text()))
  return yield* sendForm(baseUrl, path, { csrf }, { cookie })
})

/** 200 with a session, 303 to the sign-in page without. */
const statusWith = (baseUrl: string, cookie: string) =>
  Effect.map(getPage(baseUrl, "/console", { cookie }), ({ status }) => status)

layer.live(layerRunningService({ ROLES: "http,projector" }))("signing out", (it) => {
  it.effect("deletes the cookie and ends the session on the server, so that a copy of the cookie is useless", function* () {
    const { baseUrl } = yield* RunningService
    const cookie = yield* signedIn(baseUrl)
    const other = yield* signedIn(baseUrl)
    const answer = yield* signOut(baseUrl, cookie)
    assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, "/console/login"])
    assert.match(answer.headers.get("set-cookie") ?? "", /^sliptrail_console=; Max-Age=0; Path=\/console; /u)
    assert.deepStrictEqual([yield* statusWith(baseUrl, cookie), yield* statusWith(baseUrl, other)], [303, 200])
    assert.strictEqual((yield* sendForm(baseUrl, "/console/logout", {}, { cookie })).status, 303)
  })

  it.effect("everywhere ends all sessions and allows new ones", function* () {
    const { baseUrl } = yield* RunningService
    const cookies = [yield* signedIn(baseUrl), yield* signedIn(baseUrl)]
    assert.strictEqual((yield* signOut(baseUrl, cookies[0] ?? "", "/console/logout/all")).status, 303)
    for (const cookie of cookies) assert.strictEqual(yield* statusWith(baseUrl, cookie), 303)
    assert.strictEqual(yield* statusWith(baseUrl, yield* signedIn(baseUrl)), 200)
  })

  it.effect("needs the session's form token", function* () {
    const { baseUrl } = yield* RunningService
    const cookie = yield* signedIn(baseUrl)
    for (const path of ["/console/logout", "/console/logout/all"]) {
      assert.strictEqual((yield* sendForm(baseUrl, path, { csrf: "0".repeat(32) }, { cookie })).status, 403)
    }
    assert.strictEqual(yield* statusWith(baseUrl, cookie), 200)
  })
})

layer.live(layerRunningService({ ROLES: "http,projector", CONSOLE_IDLE_TIMEOUT: "5 millis" }))(
  "a session that is not used",
  (it) => {
    it.effect("ends after CONSOLE_IDLE_TIMEOUT", function* () {
      const { baseUrl } = yield* RunningService
      const cookie = yield* signedIn(baseUrl)
      assert.strictEqual(yield* eventually(statusWith(baseUrl, cookie), (status) => status === 303), 303)
    })
  }
)

describe("sessions of several processes", () => {
  it.live("end in all of them, and stay usable while the event store is unavailable", function* () {
    const engines = yield* startSharedEngines
    const one = (yield* engines.service({ ROLES: "http,projector" })).baseUrl
    const two = (yield* engines.service({ ROLES: "http" })).baseUrl
    const first = yield* signedIn(one)
    const second = yield* signedIn(two)
    for (const baseUrl of [one, two]) {
      for (const cookie of [first, second]) assert.strictEqual(yield* statusWith(baseUrl, cookie), 200)
    }
    yield* signOut(two, first)
    assert.deepStrictEqual([yield* statusWith(one, first), yield* statusWith(one, second)], [303, 200])
    yield* signOut(one, second, "/console/logout/all")
    assert.deepStrictEqual([yield* statusWith(one, second), yield* statusWith(two, second)], [303, 303])

    const third = yield* signedIn(one)
    yield* engines.log.kill
    assert.deepStrictEqual([yield* statusWith(one, third), yield* statusWith(one, second)], [200, 303])
  })
})
