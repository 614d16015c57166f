import { assert, describe, it } from "../../support/it.ts"
import { eventually } from "../../support/eventually.ts"
import type { Keys } from "../../support/client.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"

interface Created {
  readonly id: string
  readonly mainBranch: Keys
}

describe("the admin API while no projector runs", () => {
  it.live("stores changes, says that they are not visible yet, and explains what it cannot do", function* () {
    const engines = yield* startSharedEngines
    const http = yield* engines.service({ ROLES: "http" })

    const created = yield* http.admin<Created>("POST", "/services", { name: "Shop" })
    assert.deepInclude(created, { status: 201, success: true, isVisible: false })
    assert.match(created.message ?? "", /^Service created; .*\. The change is stored\. It takes effect when/u)

    const refused = yield* http.admin("POST", "/callbacks/redeliver", { host: "shop.example" })
    assert.deepInclude(refused, { status: 503, success: false })
    assert.deepInclude(refused.error, { code: "API_SERVER_ERROR" })
    assert.match(refused.error?.message ?? "", /role projector runs, then repeat the request/u)
    assert.strictEqual(refused.headers.get("retry-after"), "5")

    const { id, mainBranch: { apiKey } } = created.data
    const known = yield* http.call("POST", "/v2/verify/bank", { key: apiKey, body: { payload: "nonsense" } })
    assert.strictEqual(known.error?.code, "SLIP_NOT_FOUND")
    const other = yield* engines.service({ ROLES: "http" })
    for (const path of ["/v2/info", "/v1/me"]) {
      const early = yield* other.call("GET", path, { key: apiKey })
      assert.deepStrictEqual([early.status, early.headers.get("retry-after")], [503, "5"])
    }

    yield* engines.service({ ROLES: "projector" })
    yield* eventually(http.call("GET", "/v2/info", { key: apiKey }), ({ status }) => status === 200)
    const changed = yield* http.admin("PATCH", `/services/${id}`, { name: "Kiosk" })
    assert.deepInclude(changed, { status: 200, message: "Service changed", isVisible: undefined })
  })
})
