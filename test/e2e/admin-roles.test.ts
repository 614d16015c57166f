import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { addOperator } from "../../application/operators/operators.ts"
import { isAllowed } from "../../domain/permissions.ts"
import { refusedAttempts } from "../../domain/events/aggregates.ts"
import { beginning } from "../../domain/events/recorded-event.ts"
import { OperatorRole } from "../../domain/operators.ts"
import { adminOperations } from "../../infrastructure/web/api/operations/admin.ts"
import { EventStore } from "../../ports/event-store.ts"
import { newOperator } from "../support/operators.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure } from "./assert-answer.ts"
import { formTokenIn, getPage, sendForm, signedIn, textOf } from "./console/given-console.ts"

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"

/** A path of an operation, whose parameters name nothing that exists. */
const pathOf = (path: string): string => path.replaceAll(/:\w*[iI]d\b/gu, UNKNOWN_ID).replaceAll(/:\w+/gu, "nothing")

const operations = (Object.keys(adminOperations) as ReadonlyArray<keyof typeof adminOperations>).map((act) => ({
  act,
  method: adminOperations[act].method,
  path: pathOf(adminOperations[act].path)
}))

const env = { ROLES: "http,projector" }

layer.live(layerRunningService(env))("the operations of the admin API", (it) => {
  it.effect("require a token, each of them", function* () {
    const { call } = yield* RunningService
    for (const { method, path } of operations) {
      assertFailure(yield* call(method, path), 401, "MISSING_API_KEY", "Authorization header is required")
    }
  })

  for (const role of OperatorRole.literals) {
    it.effect(`are open to the role ${role} as the table of permissions says, each of them`, function* () {
      const service = yield* RunningService
      const key = yield* newOperator(service, `the-${role}`, role)
      for (const { act, method, path } of operations) {
        const { error, status, text } = yield* service.call(method, path, { key })
        const label = `${role} ${act}: ${text}`
        if (isAllowed(role, act)) assert.isFalse([401, 403].includes(status), label)
        else assert.deepStrictEqual([status, error?.code], [403, "ROLE_MISSING"], label)
      }
    })
  }

  it.effect("show personal data to administrators and auditors only", function* () {
    const service = yield* RunningService
    const { mainBranch } = yield* service.createService()
    for (const role of OperatorRole.literals) {
      const key = yield* newOperator(service, `revealing-${role}`, role)
      const path = `/admin/v1/trail?branch=${mainBranch.id}`
      assert.strictEqual((yield* service.call("GET", path, { key })).status, 200)
      const revealed = yield* service.call("GET", `${path}&reveal=true`, { key })
      assert.strictEqual(revealed.status, isAllowed(role, "revealPersonalData") ? 200 : 403, revealed.text)
    }
  })

  it.effect("show no number and no name of a bank account to any role, also in answers to changes", function* () {
    const service = yield* RunningService
    const { id: serviceId, mainBranch: { apiKey, id: branchId } } = yield* service.createService()
    const body = { bankCode: "004", bankNumber: "4821907356", nameTh: "ร้านกาแฟ", nameEn: "COFFEE HOUSE" }
    const { data } = yield* service.call<{ readonly id: string }>("POST", "/v2/bank-accounts", { key: apiKey, body })
    const one = `bank-accounts/${data.id}`
    const reads = [`branches/${branchId}/bank-accounts`, `services/${serviceId}/bank-accounts`, one]
      .map((path) => ["GET", path] as const)
    for (const role of OperatorRole.literals) {
      const key = yield* newOperator(service, `masked-${role}`, role)
      const changes = role === "admin"
        ? [["PATCH", one], ["POST", `${one}/link`], ["POST", `${one}/deactivate`]] as const
        : []
      for (const [method, path] of [...reads, ...changes]) {
        const sent = method === "GET" ? {} : { body: path.endsWith("/link") ? { branchId } : {} }
        const { status, text } = yield* service.call(method, `/admin/v1/${path}`, { key, ...sent })
        assert.strictEqual(status, 200, text)
        assert.include(text, "xxxxxx7356")
        assert.notMatch(text, /4821907356|ร้านกาแฟ|COFFEE/u, `${role} ${method} ${path}`)
      }
    }
  })

  it.effect("record the operator of a change, of a disclosure and of a refused attempt", function* () {
    const service = yield* RunningService
    const support = yield* newOperator(service, "nok", "support")
    const auditor = yield* newOperator(service, "lek", "auditor")
    const { id, mainBranch } = yield* service.createService()
    const reveal = `/admin/v1/trail?branch=${mainBranch.id}&reveal=true`
    yield* service.call("GET", reveal, { key: auditor })
    yield* service.call("POST", `/admin/v1/services/${id}/ban`, { key: support })
    yield* service.call("GET", reveal, { key: support })
    const log = yield* EventStore.use((store) => store.readAll({ after: beginning, limit: 1_000 }))
    const actorOf = (type: string, has: object) =>
      log.filter((event) =>
        event.type === type && Object.entries(has).every(([name, value]) => event.data[name] === value)
      )
        .map(({ metadata: { actor } }) => actor)
    const byToken = { kind: "admin", id: "api", operator: "ADMIN_TOKEN" } as const
    assert.deepStrictEqual(actorOf("ServiceCreated", { serviceId: id }), [byToken])
    const byAuditor = { kind: "admin", id: "api", operator: "lek" } as const
    assert.deepStrictEqual(actorOf("PersonalDataRevealed", { by: "lek", branchId: null }), [byAuditor])
    const refusals = log.filter(({ metadata }) => metadata.actor.operator === "nok")
      .map((event) => refusedAttempts.codec.decode(event))
    assert.deepStrictEqual(refusals.map(({ operation, operator, surface }) => [operator, operation, surface]), [
      ["nok", "banService", "api"],
      ["nok", "revealPersonalData", "api"]
    ])
  })
})

layer.live(layerRunningService({ ...env, ADMIN_TOKEN: "" }))("without ADMIN_TOKEN", (it) => {
  it.effect("an operator's token opens the admin API, and the last administrator stays one", function* () {
    const { baseUrl, call } = yield* RunningService
    const { token: key } = yield* addOperator(
      { name: "ann", role: "admin" },
      { actor: { kind: "system", id: "test" }, correlationId: "test" }
    )
    const post = (path: string, body?: object) => call("POST", `/admin/v1/operators${path}`, { key, body })
    const refused = [post("/ann/remove"), post("/ann/role", { role: "support" })]
    for (const request of refused) {
      const { error, status } = yield* request
      assert.deepStrictEqual([status, error?.issues?.[0]?.path], [400, "name"])
    }
    const cookie = yield* signedIn(baseUrl, key)
    const csrf = formTokenIn(yield* Effect.flatMap(getPage(baseUrl, "/console", { cookie }), textOf))
    for (const [action, form] of [["remove", { confirm: "ann" }], ["role", { role: "support" }]] as const) {
      const answer = yield* sendForm(baseUrl, `/console/operators/ann/${action}`, { csrf, ...form }, { cookie })
      assert.include(yield* textOf(answer), "<p>The operator is the last administrator. Add another one first")
    }
    assert.strictEqual((yield* post("", { name: "may", role: "admin" })).status, 201)
    assert.strictEqual((yield* post("/ann/remove")).status, 200)
    assertFailure(yield* post("/may/remove"), 401, "INVALID_API_KEY", "The admin token is invalid")
  })
})
