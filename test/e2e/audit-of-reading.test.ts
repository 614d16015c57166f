import { assert, describe, it, layer } from "../support/it.ts"
import { Effect } from "effect"
import { join } from "node:path"
import { newSlip } from "../support/client.ts"
import { eventually } from "../support/eventually.ts"
import { run, runJson } from "../support/in-process.ts"
import { layerRunningService, RunningService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import { formTokenIn, getPage, sendForm, signedIn, textOf } from "./console/given-console.ts"

interface Page {
  readonly items: ReadonlyArray<{
    readonly kind: string
    readonly operator: string
    readonly surface: string
    readonly subject: { readonly kind: string; readonly id: string } | null
    readonly summary: string
  }>
}

/** The acts of a kind in the audit, the newest first. */
const actsOf = Effect.fnUntraced(function* (kind: string) {
  const { admin } = yield* RunningService
  const { data } = yield* admin<Page>("GET", `/audit?kind=${kind}`)
  return data.items.map(({ operator, subject, summary, surface }) => ({ operator, surface, subject, summary }))
})

layer.live(layerRunningService({ CHECKPOINT_INTERVAL: "100 millis" }))(
  "the audit of what changes no other event",
  (it) => {
    it.effect("has rebuilds and comparisons of read models over the admin API and in the console", function* () {
      const { admin, baseUrl } = yield* RunningService
      assert.strictEqual((yield* admin("POST", "/projections/quota/compare")).status, 200)
      assert.strictEqual((yield* admin("POST", "/projections/quota/rebuild")).status, 200)
      assert.strictEqual((yield* admin("POST", "/projections/none/rebuild")).status, 404)
      const cookie = yield* signedIn(baseUrl)
      const csrf = formTokenIn(yield* textOf(yield* getPage(baseUrl, "/console/projections", { cookie })))
      const post = (path: string, fields: Readonly<Record<string, string>>) =>
        sendForm(baseUrl, `/console/projections/${path}`, { csrf, ...fields }, { cookie })
      assert.strictEqual((yield* post("jobs/compare", {})).status, 200)
      assert.strictEqual((yield* post("jobs/rebuild", { confirm: "no" })).status, 400)
      assert.strictEqual((yield* post("jobs/rebuild", { confirm: "jobs" })).status, 303)
      for (const [kind, act] of [["Rebuild", "Rebuild of"], ["Comparison", "Comparison of"]] as const) {
        const acts = yield* actsOf(`Projection${kind}Requested`)
        assert.deepStrictEqual(
          acts.map(({ operator, subject, surface }) => [operator, surface, subject?.kind, subject?.id]),
          [["ADMIN_TOKEN", "console", "projection", "jobs"], ["ADMIN_TOKEN", "api", "projection", "quota"]]
        )
        assert.include(acts[0]?.summary, `${act} the read model jobs`)
      }
      assert.lengthOf((yield* admin<Page>("GET", "/audit?subject=quota")).data.items, 2)
      const page = yield* textOf(yield* getPage(baseUrl, "/console/audit", { cookie }))
      assert.include(page, "Read model")
    })

    it.effect("has redeliveries that find no callback, by host, period and job", function* () {
      const { admin } = yield* RunningService
      const redeliver = (body: object) => admin<{ readonly redelivered: number }>("POST", "/callbacks/redeliver", body)
      const period = { from: "2026-01-01T00:00:00.000Z", to: "2026-01-02T00:00:00.000Z" }
      for (const body of [{ host: "shop.example" }, period]) {
        assert.strictEqual((yield* redeliver(body)).data.redelivered, 0)
      }
      const acts = yield* actsOf("RedeliveryChangedNothing")
      assert.deepStrictEqual(acts.map(({ subject }) => subject), [null, { kind: "host", id: "shop.example" }])
      assert.include(acts[0]?.summary, "2026-01-01")
      assert.isTrue(acts.every(({ operator, surface }) => operator === "ADMIN_TOKEN" && surface === "api"))
      assert.strictEqual((yield* redeliver({ jobId: "0f8fad5b-d9cb-4f69-a165-70867728950e" })).status, 404)
      assert.lengthOf(yield* actsOf("RedeliveryChangedNothing"), 2)
    })

    it.effect("has proofs, and no proof that was refused", function* () {
      const { admin, createService, verify } = yield* RunningService
      const { mainBranch } = yield* createService()
      const { data: { verificationId } } = yield* verify(mainBranch.apiKey, newSlip().payload)
      assert.strictEqual(
        (yield* admin("GET", "/trail/proof?verification=0f8fad5b-d9cb-4f69-a165-70867728950e")).status,
        404
      )
      assert.deepStrictEqual(yield* actsOf("EventsProven"), [])
      const prove = admin("GET", `/trail/proof?verification=${verificationId}`)
      yield* eventually(prove, ({ status }) => status === 200)
      const [act] = yield* actsOf("EventsProven")
      assert.deepInclude(act, {
        operator: "ADMIN_TOKEN",
        surface: "api",
        subject: { kind: "verification", id: verificationId }
      })
    })
  }
)

describe("the audit of the command line on the data folder", () => {
  it.live("has rebuilds, comparisons, proofs and redeliveries without hits", function* () {
    const env = { DATA_DIR: join(yield* temporaryFolder, "data") }
    yield* run(["service", "create", "--name", "Shop"], env)
    const compared = yield* run(["projections", "compare", "quota"], env)
    assert.deepStrictEqual([compared.code, compared.stderr], [0, ""])
    assert.strictEqual((yield* run(["projections", "rebuild", "quota"], env)).code, 0)
    assert.strictEqual((yield* run(["callbacks", "redeliver", "--host", "shop.example"], env)).code, 1)
    const acts: Page["items"] = yield* runJson(["operator", "log", "--limit", "3"], env)
    assert.deepStrictEqual(acts.map(({ kind }) => kind), [
      "RedeliveryChangedNothing",
      "ProjectionRebuildRequested",
      "ProjectionComparisonRequested"
    ])
    assert.isTrue(acts.every(({ operator, surface }) => operator.startsWith("os:") && surface === "cli"))
  })
})
