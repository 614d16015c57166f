import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { AccountView, BranchView, ServiceView } from "../../application/views/provisioning.ts"
import type { Page } from "../../projections/engine/page.ts"
import { newSlip } from "../support/client.ts"
import { ADMIN_TOKEN, layerRunningService, RunningService } from "../support/service.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"

interface NewService extends ServiceView {
  readonly mainBranch: ServiceView["mainBranch"] & { readonly apiKey: string }
}

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"

/** Every route, with a valid body where it takes one. */
const routes = [
  ["POST", "/accounts", {}],
  ["GET", `/accounts/${UNKNOWN_ID}`, undefined, "account"],
  ["POST", `/accounts/${UNKNOWN_ID}/verify`, undefined, "account"],
  ["POST", `/accounts/${UNKNOWN_ID}/ban`, undefined, "account"],
  ["POST", `/accounts/${UNKNOWN_ID}/unban`, undefined, "account"],
  ["POST", "/services", { name: "S" }],
  ["GET", "/services", undefined],
  ["GET", `/services/${UNKNOWN_ID}`, undefined, "service"],
  ["PATCH", `/services/${UNKNOWN_ID}`, { name: "S" }, "service"],
  ["POST", `/services/${UNKNOWN_ID}/ban`, undefined, "service"],
  ["POST", `/services/${UNKNOWN_ID}/unban`, undefined, "service"],
  ["POST", `/services/${UNKNOWN_ID}/delete`, undefined, "service"],
  ["POST", `/services/${UNKNOWN_ID}/activate`, undefined, "service"],
  ["POST", `/services/${UNKNOWN_ID}/deactivate`, undefined, "service"],
  ["POST", `/services/${UNKNOWN_ID}/branches`, { name: "B" }, "service"],
  ["GET", `/branches/${UNKNOWN_ID}`, undefined, "branch"],
  ["PATCH", `/branches/${UNKNOWN_ID}`, { name: "B" }, "branch"],
  ["GET", `/branches/${UNKNOWN_ID}/policy`, undefined, "branch"],
  ["PUT", `/branches/${UNKNOWN_ID}/policy`, { duplicate: "reject" }, "branch"],
  ["DELETE", `/branches/${UNKNOWN_ID}/policy`, undefined, "branch"],
  ["POST", `/branches/${UNKNOWN_ID}/activate`, undefined, "branch"],
  ["POST", `/branches/${UNKNOWN_ID}/deactivate`, undefined, "branch"],
  ["POST", `/branches/${UNKNOWN_ID}/rotate-key`, undefined, "branch"],
  ["POST", `/branches/${UNKNOWN_ID}/rotate-webhook-secret`, undefined, "branch"],
  ["GET", `/services/${UNKNOWN_ID}/bank-accounts`, undefined, "service"],
  ["GET", `/branches/${UNKNOWN_ID}/bank-accounts`, undefined, "branch"],
  ["GET", `/bank-accounts/${UNKNOWN_ID}`, undefined, "bank account"],
  ["PATCH", `/bank-accounts/${UNKNOWN_ID}`, { nameEn: null }, "bank account"],
  ["POST", `/bank-accounts/${UNKNOWN_ID}/deactivate`, undefined, "bank account"],
  ["POST", `/bank-accounts/${UNKNOWN_ID}/link`, { branchId: UNKNOWN_ID }, "bank account"],
  ["GET", "/jobs", undefined],
  ["GET", "/callbacks", undefined],
  ["POST", "/callbacks/redeliver", { host: "shop.example" }],
  ["GET", "/me", undefined],
  ["GET", "/operators", undefined],
  ["POST", "/operators", { name: "nok", role: "auditor" }],
  ["POST", "/operators/unknown/role", { role: "auditor" }, "operator"],
  ["POST", "/operators/unknown/token", undefined, "operator"],
  ["POST", "/operators/unknown/remove", undefined, "operator"],
  ["POST", "/operators/unknown/end-sessions", undefined],
  ["GET", "/sessions", undefined],
  ["POST", `/sessions/${UNKNOWN_ID}/end`, undefined, "session"],
  ["GET", "/projections", undefined],
  ["POST", "/projections/nothing/rebuild", undefined, "projection"],
  ["POST", "/projections/nothing/compare", undefined, "projection"]
] as const

layer.live(layerRunningService())("the admin API", (it) => {
  for (const [method, path, body, missing] of routes) {
    it.effect(`${method} ${path} checks the token, and answers 404 for an unknown ${missing ?? "route"}`, function* () {
      const { admin, call } = yield* RunningService
      const url = `/admin/v1${path}`
      assertFailure(yield* call(method, url, { body }), 401, "MISSING_API_KEY", "Authorization header is required")
      // The fifth wrong token in a row would pause this address.
      const wrong = ["wrong", `${ADMIN_TOKEN}x`, ADMIN_TOKEN.slice(1), ADMIN_TOKEN.toUpperCase()]
      for (const key of wrong) {
        assertFailure(yield* call(method, url, { body, key }), 401, "INVALID_API_KEY", "The admin token is invalid")
      }
      const answer = yield* admin(method, path, body)
      if (missing === undefined) assert.isBelow(answer.status, 300, answer.text)
      else assertFailure(answer, 404, "NOT_FOUND", `There is no such ${missing}`)
    })
  }

  it.effect("does not take the admin token for an API key, nor an API key for the admin token", function* () {
    const { call, createService, verify } = yield* RunningService
    const { mainBranch } = yield* createService()
    const answer = yield* call("GET", "/admin/v1/services", { key: mainBranch.apiKey })
    assertFailure(answer, 401, "INVALID_API_KEY", "The admin token is invalid")
    assert.strictEqual((yield* verify(ADMIN_TOKEN, newSlip().payload)).error?.code, "INVALID_API_KEY")
  })

  it.effect("creates, verifies and bans accounts", function* () {
    const { admin } = yield* RunningService
    const created = yield* admin<AccountView>("POST", "/accounts", { name: "Somchai", email: "somchai@example.com" })
    assert.strictEqual(created.status, 201)
    assert.deepInclude(
      created.data,
      { name: "Somchai", email: "somchai@example.com", isVerified: false, isBanned: false }
    )
    const path = `/accounts/${created.data.id}`
    assert.isTrue((yield* admin<AccountView>("POST", `${path}/verify`)).data.isVerified)
    assert.isTrue((yield* admin<AccountView>("POST", `${path}/ban`, { reason: "fraud" })).data.isBanned)
    assert.isFalse((yield* admin<AccountView>("POST", `${path}/unban`)).data.isBanned)
    const shown = yield* admin<AccountView>("GET", path.toUpperCase().replace("ACCOUNTS", "accounts"))
    assert.deepInclude(shown.data, { id: created.data.id, isVerified: true, isBanned: false })
    assertInvalid(yield* admin("POST", "/accounts", { name: 5, email: "" }), "name", "email")
  })

  it.effect("creates and changes services, with the account id in upper or lower case", function* () {
    const { admin } = yield* RunningService
    const account = yield* admin<AccountView>("POST", "/accounts", {})
    const created = yield* admin<ServiceView>("POST", "/services", {
      name: "Shop",
      accountId: account.data.id.toUpperCase(),
      plan: "big",
      quota: 7,
      expiresAt: "2099-01-31T07:00:00+07:00"
    })
    assert.strictEqual(created.status, 201, created.text)
    assert.deepInclude(created.data, { accountId: account.data.id, quota: 7, expiresAt: "2099-01-31T00:00:00.000Z" })

    const path = `/services/${created.data.id}`
    const unknown = yield* admin("POST", "/services", { name: "Shop", accountId: UNKNOWN_ID })
    assertFailure(unknown, 404, "NOT_FOUND", "There is no such account")

    const unchanged = yield* admin<ServiceView>("PATCH", path, { name: "Shop 2" })
    assert.deepInclude(unchanged.data, {
      name: "Shop 2",
      plan: "big",
      quota: 7,
      expiresAt: "2099-01-31T00:00:00.000Z"
    })
    const cleared = yield* admin<ServiceView>("PATCH", path, { quota: null, expiresAt: null })
    assert.deepInclude(cleared.data, { name: "Shop 2", plan: "big", quota: null, expiresAt: null })
    const nothing = yield* admin<ServiceView>("PATCH", path, {})
    assert.deepStrictEqual(nothing.data, cleared.data)

    const shown = yield* admin<ServiceView & { readonly branches: ReadonlyArray<BranchView> }>("GET", path)
    assert.deepStrictEqual(
      shown.data.branches.map(({ isMain, quota }) => ({ isMain, quota })),
      [{ isMain: true, quota: null }]
    )
    assert.notInclude(shown.text, "apiKey")
    assert.notInclude(shown.text, "webhookSecret")
  })

  it.effect("names every invalid field of a service or a branch", function* () {
    const { admin, createService } = yield* RunningService
    const { id, mainBranch } = yield* createService()
    assertInvalid(yield* admin("POST", "/services"), "name")
    assertInvalid(yield* admin("POST", "/services", []), "")
    assertInvalid(
      yield* admin("POST", "/services", { name: "", accountId: "x", quota: -1, expiresAt: "soon" }),
      "name",
      "accountId",
      "quota",
      "expiresAt"
    )
    for (const expiresAt of ["1", "2027-02-30", "2027-01-31T00:00:00", "31/01/2027", "2027-01-31T25:00:00Z", "", 5]) {
      assertInvalid(yield* admin("PATCH", `/services/${id}`, { expiresAt }), "expiresAt")
    }
    for (const quota of [1.5, "1", 1e12, true]) {
      assertInvalid(yield* admin("PATCH", `/services/${id}`, { quota }), "quota")
    }
    assertInvalid(yield* admin("PATCH", `/services/${id}`, { name: null, plan: null }), "name", "plan")
    assertInvalid(yield* admin("POST", `/services/${id}/branches`, { quota: 1 }), "name")
    assertInvalid(yield* admin("PATCH", `/branches/${mainBranch.id}`, { ipWhitelist: [] }), "ipWhitelist")
    assertInvalid(
      yield* admin("PATCH", `/branches/${mainBranch.id}`, { ipWhitelist: ["10.0.0.1", "10.1"] }),
      "ipWhitelist.1"
    )
    for (const webhookUrl of ["http://a.test/", "a", "https://u:p@a.test/", `https://a.test/${"a".repeat(2048)}`]) {
      assertInvalid(yield* admin("PATCH", `/branches/${mainBranch.id}`, { webhookUrl }), "webhookUrl")
    }
    for (const overlapSeconds of [-1, 604_801, 1.5, "1"]) {
      assertInvalid(
        yield* admin("POST", `/branches/${mainBranch.id}/rotate-webhook-secret`, { overlapSeconds }),
        "overlapSeconds"
      )
    }
  })

  it.effect("imports the API key of another verifier once, and neither repeats nor logs a wrong key", function* () {
    const { admin, call, createService, logs } = yield* RunningService
    const [apiKey, other] = [randomUUID(), randomUUID()]
    const created = yield* admin<NewService>("POST", "/services", { name: "Shop", apiKey: apiKey.toUpperCase() })
    assert.deepStrictEqual([created.status, created.data.mainBranch.apiKey], [201, apiKey])
    const branches = `/services/${created.data.id}/branches`
    assert.strictEqual((yield* admin("POST", branches, { name: "B", apiKey: other })).status, 201)
    for (const key of [apiKey, other]) assert.strictEqual((yield* call("GET", "/v2/banks", { key })).status, 200)

    const { mainBranch } = yield* createService()
    for (const key of [apiKey, other, mainBranch.apiKey]) {
      for (const path of ["/services", branches]) {
        const refused = yield* admin("POST", path, { name: "C", apiKey: key })
        assertFailure(
          refused,
          409,
          "API_KEY_IN_USE",
          "The API key belongs to a branch, or belonged to one. Import another key, or create one"
        )
      }
    }
    for (const wrong of [`${apiKey}0`, "00000000-0000-1000-8000-00000000beef", "", 5, null]) {
      const refused = yield* admin("POST", "/services", { name: "C", apiKey: wrong })
      assertInvalid(refused, "apiKey")
      if (typeof wrong === "string" && wrong !== "") assert.notInclude(refused.text, wrong)
    }
    for (const key of [apiKey, other]) assert.notInclude(logs.join("\n"), key)
  })

  it.effect("changes branches: an absent field stays, null clears it", function* () {
    const { admin, createBranch, createService } = yield* RunningService
    const { id } = yield* createService()
    const branch = yield* createBranch(
      id,
      { name: "Siam", quota: 5, ipWhitelist: ["10.0.0.0/8"], webhookUrl: "https://a.test/" }
    )
    const path = `/branches/${branch.id}`
    const renamed = yield* admin<BranchView>("PATCH", path, { name: "Siam 2" })
    assert.deepInclude(
      renamed.data,
      { name: "Siam 2", quota: 5, ipWhitelist: ["10.0.0.0/8"], webhookUrl: "https://a.test/" }
    )
    const cleared = yield* admin<BranchView>("PATCH", path, { quota: null, webhookUrl: null, ipWhitelist: ["*"] })
    assert.deepInclude(cleared.data, { name: "Siam 2", quota: null, ipWhitelist: ["*"], webhookUrl: null })
    assert.deepStrictEqual((yield* admin("GET", path)).data, cleared.data)
  })

  it.effect("applies bans, deletions and deactivations to the very next call, and so does undoing them", function* () {
    const { admin, call, createService } = yield* RunningService
    const { accountId, id, mainBranch } = yield* createService()
    const code = Effect.map(call("GET", "/v2/banks", { key: mainBranch.apiKey }), ({ error }) => error?.code)
    const pairs = [
      [`/services/${id}/ban`, "SERVICE_BANNED", `/services/${id}/unban`],
      [`/services/${id}/deactivate`, "SERVICE_INACTIVE", `/services/${id}/activate`],
      [`/branches/${mainBranch.id}/deactivate`, "BRANCH_INACTIVE", `/branches/${mainBranch.id}/activate`],
      [`/accounts/${accountId}/ban`, "USER_BANNED", `/accounts/${accountId}/unban`]
    ] as const
    for (let round = 0; round < 3; round++) {
      for (const [off, refusal, on] of pairs) {
        assert.isUndefined(yield* code)
        yield* admin("POST", off)
        assert.strictEqual(yield* code, refusal)
        yield* admin("POST", on)
      }
    }
    yield* admin("POST", `/services/${id}/delete`)
    assert.strictEqual(yield* code, "SERVICE_DELETED")
    assertFailure(yield* admin("POST", `/services/${id}/unban`), 404, "NOT_FOUND", "There is no such service")
  })

  it.effect("applies a ban immediately under load: rejects every call that begins after its answer", function* () {
    const { admin, call, createService } = yield* RunningService
    for (let round = 0; round < 5; round++) {
      const { id, mainBranch } = yield* createService()
      let banned = false
      const late: Array<string | undefined> = []
      const caller = Effect.gen(function* () {
        for (let after = 0; after < 3;) {
          const beganAfterBan = banned
          const { error } = yield* call("GET", "/v2/banks", { key: mainBranch.apiKey })
          if (beganAfterBan) {
            late.push(error?.code)
            after++
          }
        }
      })
      const ban = Effect.map(admin("POST", `/services/${id}/ban`), () => {
        banned = true
      })
      const callers = Array.from({ length: 8 }, () => caller)
      yield* Effect.all([...callers, ban], { concurrency: "unbounded", discard: true })
      assert.deepStrictEqual(new Set(late), new Set(["SERVICE_BANNED"]))
    }
  })

  it.effect("rotates keys and secrets, and shows them once", function* () {
    const { admin, call, createService } = yield* RunningService
    const { id, mainBranch } = yield* createService()
    const path = `/branches/${mainBranch.id}`
    const rotated = yield* admin<{ readonly apiKey: string }>("POST", `${path}/rotate-key`)
    assert.match(rotated.data.apiKey, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
    assert.strictEqual((yield* call("GET", "/v2/banks", { key: mainBranch.apiKey })).error?.code, "INVALID_API_KEY")
    assert.strictEqual((yield* call("GET", "/v2/banks", { key: rotated.data.apiKey })).status, 200)

    const secret = yield* admin<{ readonly secret: string }>(
      "POST",
      `${path}/rotate-webhook-secret`,
      { overlapSeconds: 60 }
    )
    assert.match(secret.data.secret, /^whsec_[A-Za-z0-9+/]{43}=$/u)
    for (const path of [`/branches/${mainBranch.id}`, `/services/${id}`, "/services?limit=500"]) {
      const { text } = yield* admin("GET", path)
      assert.notInclude(text, rotated.data.apiKey)
      assert.notInclude(text, "whsec_")
    }
  })

  it.effect("lists services page by page", function* () {
    const { admin, createService } = yield* RunningService
    for (let count = 0; count < 3; count++) yield* createService()
    const all = yield* admin<Page<ServiceView>>("GET", "/services?limit=500")
    const ids: Array<string> = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? "limit=2" : `limit=2&cursor=${encodeURIComponent(cursor)}`
      const { data }: { readonly data: Page<ServiceView> } = yield* admin<Page<ServiceView>>(
        "GET",
        `/services?${query}`
      )
      ids.push(...data.items.map(({ id }) => id))
      cursor = data.nextCursor
    } while (cursor !== null)
    assert.deepStrictEqual(ids, all.data.items.map(({ id }) => id))
    assert.strictEqual(new Set(ids).size, ids.length)

    for (const limit of ["0", "501", "-1", "1.5", "many", ""]) {
      assertInvalid(yield* admin("GET", `/services?limit=${limit}`), "limit")
    }
    for (const wrong of ["", "nonsense", "1", ".a", "1.nothing"]) {
      assertInvalid(yield* admin("GET", `/services?cursor=${wrong}`), "cursor")
    }
  })

  it.effect("logs no key, secret or name", function* () {
    const { createService, logs, verify } = yield* RunningService
    const { mainBranch } = yield* createService({ name: "Unmistakable" })
    yield* verify(mainBranch.apiKey, { payload: newSlip().payload, remark: "Unmistakable" })
    yield* verify(mainBranch.apiKey, newSlip({ outcome: "down" }).payload)
    const text = logs.join("\n")
    for (const secret of [mainBranch.apiKey, mainBranch.webhookSecret, ADMIN_TOKEN, "Unmistakable"]) {
      assert.notInclude(text, secret)
    }
  })
})

layer.live(layerRunningService({ ADMIN_TOKEN: "", TRUSTED_PROXIES: "127.0.0.1" }))(
  "without an admin token and without operators",
  (it) => {
    for (const [index, [method, path, body]] of routes.entries()) {
      it.effect(`${method} ${path} accepts no token`, function* () {
        const { call } = yield* RunningService
        const url = `/admin/v1${path}`
        const headers = { "x-forwarded-for": `198.51.100.${index}` }
        assertFailure(yield* call(method, url, { body }), 401, "MISSING_API_KEY", "Authorization header is required")
        for (const key of ["", "undefined", ADMIN_TOKEN]) {
          const answer = yield* call(method, url, { body, key, headers })
          assert.oneOf(answer.error?.code, ["INVALID_API_KEY", "RATE_LIMIT_EXCEEDED"])
        }
      })
    }
  }
)
