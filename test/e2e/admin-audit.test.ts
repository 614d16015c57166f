import { assert, describe, it, layer } from "../support/it.ts"
import { Effect } from "effect"
import type { auditItem } from "../../application/trail/audit.ts"
import { type Client, newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { run, runJson } from "../support/in-process.ts"
import { type Env, layerRunningService, RunningService } from "../support/service.ts"
import { startSharedEngines } from "../support/shared-engines.ts"
import { assertFailure, assertInvalid } from "./assert-answer.ts"

type Act = ReturnType<typeof auditItem>

interface Page {
  readonly items: ReadonlyArray<Act>
  readonly nextCursor: string | null
}

const kindsOf = ({ data }: { readonly data: Page }) => data.items.map(({ kind }) => kind)

/** Acts of an operator over the admin API, and the same list over every interface and filter. */
const listsActs = Effect.fnUntraced(function* ({ admin, createService, verify }: Client, env: Env) {
  const audit = (query: string) =>
    eventually(admin<Page>("GET", `/audit?${query}`), ({ status }) => status !== 500 && status !== 503)
  const { id: serviceId, mainBranch: { apiKey, id } } = yield* createService({ quota: 10 })
  const slip = newSlip()
  const ofSlip = `${slip.sendingBank}:${slip.transRef}`
  yield* verify(apiKey, slip.payload)
  const changed = yield* admin("PATCH", `/branches/${id}`, {
    name: "Silom",
    webhookUrl: "https://shop.example/hook?token=t0k3n"
  })
  assert.strictEqual(changed.status, 200, changed.text)
  yield* eventually(admin("GET", `/trail?slip=${ofSlip}`), ({ status }) => status === 200)
  const revealed = yield* admin("GET", `/trail?slip=${ofSlip}&reveal=true`)
  const exported = yield* admin("GET", `/trail/export?slip=${ofSlip}&format=csv`)
  assert.deepStrictEqual([revealed.status, exported.status], [200, 200], exported.text)
  yield* admin("POST", "/forget", { slip: ofSlip, reason: "asked" })
  yield* admin("POST", `/services/${serviceId}/ban`, { reason: "chargebacks" })

  const all = yield* audit("limit=500")
  assert.deepStrictEqual(kindsOf(all).slice(0, 4), [
    "ServiceBanned",
    "PersonalDataForgotten",
    "TrailExported",
    "PersonalDataRevealed"
  ])
  assert.notInclude(kindsOf(all), "SlipVerified")
  const [banned, , record] = all.data.items
  assert.deepInclude(banned, {
    surface: "api",
    kind: "ServiceBanned",
    summary: "Service banned: chargebacks",
    subject: { kind: "service", id: serviceId }
  })
  assert.match(record?.summary ?? "", /^Trail of slip [\da-f]+ exported as CSV, personal data masked$/u)
  assert.strictEqual(record?.requestId, exported.headers.get("x-request-id"))
  for (const secret of [slip.transRef, "t0k3n"]) assert.notInclude(all.text, secret)

  // A slip is found by its reference, and a branch by its id, in any case.
  assert.deepStrictEqual(kindsOf(yield* audit(`subject=${ofSlip}`)), [
    "PersonalDataForgotten",
    "TrailExported",
    "PersonalDataRevealed"
  ])
  const ofBranch = yield* audit(`subject=${id.toUpperCase()}&order=oldest`)
  assert.includeMembers([...kindsOf(ofBranch)], ["BranchCreated", "BranchRenamed", "WebhookUrlSet"])
  assert.strictEqual(kindsOf(ofBranch)[0], "BranchCreated")
  assert.lengthOf(kindsOf(yield* audit(`subject=${id}&kind=BranchRenamed&operator=${banned?.operator ?? ""}`)), 1)
  assert.deepStrictEqual((yield* audit("operator=stranger")).data, { items: [], nextCursor: null })
  const at = encodeURIComponent(record?.at ?? "")
  assert.include(kindsOf(yield* audit(`from=${at}&to=${at}`)), "TrailExported")
  assert.deepStrictEqual(kindsOf(yield* audit("from=2999-01-01")), [])

  // Pages are the whole list.
  const found: Array<string> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: { readonly data: Page } = yield* audit(
      `limit=3${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
    )
    found.push(...page.data.items.map(({ position }) => position))
    cursor = page.data.nextCursor
  }
  assert.deepStrictEqual(found, all.data.items.map(({ position }) => position))

  const acts: ReadonlyArray<Act> = yield* runJson(["operator", "log", "--limit", "500"], env)
  assert.deepStrictEqual(acts, all.data.items)
  const { stdout } = yield* run(["operator", "log", "--subject", ofSlip, "--kind", "TrailExported"], env)
  assert.match(
    stdout,
    /^at +operator +over +what +about\n\S+Z +\S+ +api +Trail of slip .* exported as CSV.* slip [\da-f]+$/u
  )
  assert.deepInclude(yield* run(["operator", "log", "--operator", "stranger"], env), {
    code: 0,
    stderr: "There are no such acts"
  })
  const wrong = yield* run(["operator", "log", "--from", "soon"], env)
  assert.strictEqual(wrong.code, 2)
  assert.include(wrong.stderr, "--from: Expected")
})

layer.live(layerRunningService())("the audit on embedded stores", (it) => {
  it.effect("lists what operators did, over the admin API and the command line", function* () {
    const service = yield* RunningService
    yield* listsActs(service, { DATA_DIR: service.dataDir })
  })

  it.effect("refuses wrong filters, cursors and tokens", function* () {
    const { admin, call } = yield* RunningService
    for (const [field, query] of [["from", "from=soon"], ["to", "to=2026-02-30"], ["order", "order=x"]] as const) {
      assertInvalid(yield* admin("GET", `/audit?${query}`), field)
    }
    for (const [field, query] of [["cursor", "cursor=x"], ["limit", "limit=501"], ["kind", "kind="]] as const) {
      assertInvalid(yield* admin("GET", `/audit?${query}`), field)
    }
    assertFailure(yield* call("GET", "/admin/v1/audit"), 401, "MISSING_API_KEY", "Authorization header is required")
  })
})

describe("the audit on shared stores", () => {
  it.live("lists what operators did in every process", function* () {
    const engines = yield* startSharedEngines
    const service = yield* engines.service()
    yield* listsActs(service, engines.env)
    // The command line writes a shared log also while services run.
    const { code, stderr } = yield* run(["trail", "export", "--from", "2020-01-01"], engines.env)
    assert.strictEqual(code, 0, stderr)
    assert.notInclude(stderr, "not recorded")
    const { data } = yield* service.admin<Page>("GET", "/audit?kind=TrailExported&limit=1")
    assert.deepInclude(data.items[0], { surface: "cli", subject: null })
    const other = yield* engines.service({ ROLES: "http" })
    const query = "/audit?kind=TrailExported"
    assert.deepStrictEqual((yield* other.admin("GET", query)).data, (yield* service.admin("GET", query)).data)
  })
})
