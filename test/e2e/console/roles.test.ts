import { assert, layer } from "../../support/it.ts"
import { Effect } from "effect"
import { type Act, acts, isAllowed } from "../../../domain/permissions.ts"
import { OperatorRole } from "../../../domain/operators.ts"
import { pages } from "../../../infrastructure/web/console/pages.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { cookieOf, getPage, sendForm, textOf } from "./given-console.ts"
import { givenOperator } from "./given-operator.ts"

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"

/** The pages and form actions of the console, as its router has them. */
const [get, post] = [Object.entries(pages.get), Object.entries(pages.post)] as const

const pathOf = (pattern: string): string => `/console/${pattern.replaceAll(":", UNKNOWN_ID)}`

const REFUSED = "Your role may not do this"

layer.live(layerRunningService({ ROLES: "http,projector" }))("the roles of the console", (it) => {
  for (const role of OperatorRole.literals) {
    it.effect(`open to ${role} the pages and actions that the table of permissions names, each of them`, function* () {
      const { page, send } = yield* givenOperator(`all-${role}`, role)
      const assertRole = Effect.fnUntraced(function* (answer: Response, act: Act, label: string) {
        const isRefused = answer.status === 403 && (yield* textOf(answer)).includes(REFUSED)
        assert.strictEqual(isRefused, !isAllowed(role, act), `${label}: ${answer.status}`)
      })
      for (const [pattern, { act }] of get) yield* assertRole(yield* page(pathOf(pattern)), act, `GET ${pattern}`)
      for (const [pattern, { act }] of post) yield* assertRole(yield* send(pathOf(pattern)), act, `POST ${pattern}`)
    })
  }

  it("name an act of the table for each page and each action", () => {
    for (const [pattern, { act }] of [...get, ...post]) assert.include(acts, act, pattern)
  })

  it.effect("hide links and forms that the role may not use, and show name and role", function* () {
    const { createService } = yield* RunningService
    const { id, mainBranch } = yield* createService()
    const support = yield* givenOperator("nok", "support")
    const admin = yield* givenOperator("ann", "admin")
    const paths = [
      "/console",
      "/console/services",
      `/console/services/${id}`,
      `/console/branches/${mainBranch.id}`,
      "/console/projections",
      "/console/operators",
      "/console/sessions?operator=ann"
    ]
    const formsIn = (html: string) =>
      [...html.matchAll(/method="post" action="([^"]+)"/gu)].map(([, action]) => action)
        .filter((action) => action !== "/console/logout")
    for (const path of paths) {
      const text = yield* support.html(path)
      assert.include(text, "nok · Support")
      assert.deepStrictEqual(formsIn(text), [], path)
      assert.notMatch(text, /href="[^"]*(?:services\/new|new-branch|\/policy)"/u, path)
      if (path !== "/console/services") {
        assert.isNotEmpty(formsIn(yield* admin.html(path)), path)
      }
    }
  })

  it.effect("end the sessions of a removed operator and of a replaced token, and change with the role", function* () {
    const { admin } = yield* RunningService
    const lek = yield* givenOperator("lek", "auditor")
    assert.strictEqual((yield* lek.page("/console/services/new")).status, 403)
    yield* admin("POST", "/operators/lek/role", { role: "admin" })
    assert.strictEqual((yield* lek.page("/console/services/new")).status, 200)
    yield* admin("POST", "/operators/LEK/token")
    assert.strictEqual((yield* lek.page("/console")).status, 303)
    const joy = yield* givenOperator("joy", "support")
    yield* admin("POST", "/operators/joy/remove")
    assert.strictEqual((yield* joy.page("/console")).status, 303)
    const again = yield* givenOperator("joy", "support")
    assert.deepStrictEqual([(yield* again.page("/console")).status, (yield* joy.page("/console")).status], [
      200,
      303
    ])
  })

  it.effect("let an administrator add an operator, end a session, and end those of one operator", function* () {
    const { call } = yield* RunningService
    const ann = yield* givenOperator("ann2", "admin")
    const added = yield* textOf(yield* ann.send("/console/operators", { operatorName: "May", role: "auditor" }))
    const token = /slt_[\w-]{43}/u.exec(added)?.[0] ?? ""
    assert.deepInclude((yield* call("GET", "/admin/v1/me", { key: token })).data, { name: "May", role: "auditor" })
    const taken = yield* ann.send("/console/operators", { operatorName: "may", role: "auditor" })
    assert.include(yield* textOf(taken), "Another operator has this name.")
    const wrong = yield* ann.send("/console/operators", { operatorName: "os:root", role: "auditor" })
    assert.deepStrictEqual(wrong.status, 400)
    assert.include(yield* textOf(wrong), "with a letter or digit first")

    const nid = yield* givenOperator("nid", "support")
    const list = yield* ann.html("/console/sessions?operator=nid")
    const id = /\/console\/sessions\/([0-9a-f-]{36})\/end/u.exec(list)?.[1] ?? ""
    assert.strictEqual((yield* ann.send(`/console/sessions/${id}/end`)).status, 303)
    assert.strictEqual((yield* nid.page("/console")).status, 303)
    const other = yield* sendForm((yield* RunningService).baseUrl, "/console/login", { token: nid.token })
    assert.strictEqual(other.status, 303)
    yield* ann.send("/console/operators/nid/end-sessions")
    const after = yield* ann.html("/console/sessions?operator=nid")
    assert.include(after, "There is no open session.")
  })

  it.effect("give each sign-in a session of its own, and end the one that the browser had", function* () {
    const { baseUrl } = yield* RunningService
    const pim = yield* givenOperator("pim", "support")
    const again = yield* sendForm(baseUrl, "/console/login", { token: pim.token }, { cookie: pim.cookie })
    const cookie = cookieOf(again)
    assert.notStrictEqual(cookie.split(".")[3], pim.cookie.split(".")[3])
    assert.strictEqual((yield* pim.page("/console")).status, 303)
    assert.strictEqual((yield* getPage(baseUrl, "/console", { cookie })).status, 200)
  })
})
