import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { userInfo } from "node:os"
import { join } from "node:path"
import { holdDataFolder } from "../../../../infrastructure/runtime/data-folder.ts"
import { newSlip } from "../../../support/client.ts"
import { layerRunningService, RunningService } from "../../../support/service.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { run, runJson } from "../../../support/in-process.ts"

const account = { bankCode: "004", bankNumber: "0987654321", nameTh: "ร้านของคุณมานี" }

interface EventView {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The data folder of a stopped service with a slip that has a remark and was matched with a bank account. */
const givenSlip = Effect.gen(function* () {
  const env = { DATA_DIR: join(yield* temporaryFolder, "data") }
  const slip = newSlip()
  const { branchId, rawSlip } = yield* Effect.gen(function* () {
    const { call, createService, verify } = yield* RunningService
    const { mainBranch } = yield* createService()
    yield* call("POST", "/v2/bank-accounts", { key: mainBranch.apiKey, body: account })
    const { data } = yield* verify(mainBranch.apiKey, { payload: slip.payload, remark: "โต๊ะ 7", matchAccount: true })
    return { branchId: mainBranch.id, rawSlip: data.rawSlip }
  }).pipe(Effect.provide(layerRunningService(env)))
  const { receiver, sender } = rawSlip
  const names = [sender.account.name.th, receiver.account.name.th].map(String)
  return { branchId, env, names, ofSlip: ["--slip", `${slip.sendingBank}:${slip.transRef}`], slip }
})

const disclosures = (events: ReadonlyArray<EventView>) => events.filter(({ type }) => type === "PersonalDataRevealed")

describe("sliptrail trail show --reveal", () => {
  it.live("shows names, references, remarks and comparisons, which are masked or omitted without it", function* () {
    const { branchId, env, names, ofSlip, slip } = yield* givenSlip
    const secret = [...names, slip.transRef, slip.payload, "โต๊ะ 7", account.bankNumber, account.nameTh]
    for (const flags of [ofSlip, [...ofSlip, "--json"], ["--branch", branchId], ["--branch", branchId, "--json"]]) {
      const { code, stdout } = yield* run(["trail", "show", ...flags], env)
      assert.strictEqual(code, 0)
      for (const word of secret) assert.notInclude(stdout, word)
    }
    const masked = yield* run(["trail", "show", ...ofSlip], env)
    const initial = Array.from(names[0] ?? "")[0]
    assert.include(masked.stdout, `from ${initial}***`)
    assert.include(masked.stdout, "; the receiver was compared with the branch's accounts  (")
    assert.include(
      (yield* run(["trail", "show", "--branch", branchId], env)).stdout,
      "at bank 004, xxxxxx4321 of ร้***"
    )

    const { stdout } = yield* run(["trail", "show", ...ofSlip, "--reveal"], env)
    for (const word of [...names, slip.transRef]) assert.include(stdout, word)
    assert.include(stdout, '; remark "โต๊ะ 7"')
    assert.match(stdout, /; the receiver was compared with the branch's accounts, none of them matches; /u)
    const ofBranch = yield* run(["trail", "show", "--branch", branchId, "--reveal"], env)
    assert.include(ofBranch.stdout, `${account.bankNumber} of ${account.nameTh}`)

    const events: ReadonlyArray<EventView> = yield* runJson(["trail", "show", ...ofSlip, "--reveal"], env)
    const verified = events.find(({ type }) => type === "SlipVerified")
    assert.deepNestedInclude(verified?.data, { remark: "โต๊ะ 7", "transfer.transRef": slip.transRef })
  })

  it.live("records the access before it shows data, and the trail contains the record", function* () {
    const { env, ofSlip, slip } = yield* givenSlip
    const shown: ReadonlyArray<EventView> = yield* runJson(["trail", "show", ...ofSlip, "--reveal"], env)
    assert.lengthOf(disclosures(shown), 0)
    const [disclosure] = disclosures(yield* runJson(["trail", "show", ...ofSlip], env))
    assert.deepInclude(disclosure?.data, {
      by: `os:${userInfo().username}`,
      command: "trail show",
      branchId: null,
      from: null,
      to: null
    })
    assert.notInclude(JSON.stringify(disclosure), slip.transRef)
    const { stdout } = yield* run(["trail", "show", ...ofSlip], env)
    const by = `os:${userInfo().username}`
    assert.include(stdout, `Personal data shown to ${by}, by trail show  (admin cli ${by})`)
  })

  it.live("names the admin API while a service has the folder open, and shows nothing", function* () {
    const { env, names, ofSlip } = yield* givenSlip
    // Brings the read models up to date, as a running service does.
    yield* run(["trail", "show", ...ofSlip], env)
    yield* Effect.scoped(Effect.gen(function* () {
      yield* holdDataFolder(env.DATA_DIR)
      const { code, stderr, stdout } = yield* run(["trail", "show", ...ofSlip, "--reveal"], env)
      assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" })
      assert.include(stderr, "stop it first, or use its admin API")
      assert.include(stderr, `GET /admin/v1/trail?slip=${ofSlip[1]}&reveal=true`)
      for (const name of names) assert.notInclude(stderr, name)
      assert.strictEqual((yield* run(["trail", "show", ...ofSlip], env)).code, 0)
    }))
    assert.lengthOf(disclosures(yield* runJson(["trail", "show", ...ofSlip], env)), 0)
  })

  it.live("records nothing for an unknown subject", function* () {
    const { env } = yield* givenSlip
    for (let time = 0; time < 2; time++) {
      const { code, stderr } = yield* run(["trail", "show", "--slip", "004:NOTHING", "--reveal"], env)
      assert.strictEqual(code, 1)
      assert.match(stderr, /^sliptrail: there are no events:[^\n]*$/u)
    }
  })
})
