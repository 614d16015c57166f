import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { join } from "node:path"
import {
  accountFindings,
  checkCertificate,
  refusalFinding
} from "../../../../infrastructure/commands/doctor/gateways.ts"
import { startBothBanks } from "../../../support/banks/both-banks.ts"
import { kbankCredentials } from "../../../support/banks/kbank-bank.ts"
import { scbCredentials } from "../../../support/banks/scb-bank.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { examine, messagesAbout } from "./examined.ts"

const slips = new Map<string, object>()

/** Both banks, and settings with their addresses. */
const given = Effect.gen(function* () {
  const { env, ...banks } = yield* startBothBanks({ kbank: slips, scb: slips })
  return { ...banks, env: { ...env, DATA_DIR: join(yield* temporaryFolder, "data") } }
})

const DAY = 86_400_000

describe("the doctor's checks of bank gateways", () => {
  it.live("pass when every bank issues a token, and request no slip", function* () {
    const { env, kbank, scb } = yield* given

    const { faults, findings } = yield* examine(env)

    assert.deepStrictEqual(faults, [])
    assert.match(
      messagesAbout(findings, "gateways"),
      /kbank accepts the credentials.*\n?.*scb accepts the credentials/u
    )
    assert.deepStrictEqual([kbank, scb].map((bank) => bank.requests("token").length), [1, 1])
    assert.deepStrictEqual([kbank, scb].map((bank) => bank.requests("slip").length), [0, 0])
  })

  it.live("find refused credentials, and print no secret", function* () {
    const { env } = yield* given

    const { faults, stdout } = yield* examine({ ...env, SCB_API_SECRET: "not-the-secret" })

    assert.lengthOf(faults, 1)
    assert.match(faults[0]?.message ?? "", /^scb issued no token: .*check SCB_API_KEY/u)
    assert.notInclude(stdout, "not-the-secret")
    for (const secret of Object.values({ ...kbankCredentials, ...scbCredentials })) assert.notInclude(stdout, secret)
  })

  it.live("ask no vendor that has no free question, and do not claim that it accepts the account", function* () {
    const { env } = yield* given
    const rdcw = { BANK_GATEWAYS: "rdcw", RDCW_CLIENT_ID: "id-of-a-test", RDCW_CLIENT_SECRET: "secret-of-a-test" }

    const { faults, findings } = yield* examine({ ...env, ...rdcw, RDCW_BASE_URL: "https://127.0.0.1:9" })

    assert.deepStrictEqual(faults, [])
    assert.match(messagesAbout(findings, "gateways"), /^rdcw has no free question: the first slip shows/u)
  })

  it.live("report an unusable gateway once, by its setting", function* () {
    const { env } = yield* given
    const { faults } = yield* examine({ ...env, KBANK_KEY_FILE: "/nowhere/client.key" })
    assert.deepStrictEqual(faults.map(({ message }) => message), [
      "KBANK_KEY_FILE /nowhere/client.key cannot be read"
    ])
  })

  it.live("warn about KBank's test mode", function* () {
    const { env } = yield* given
    const { warnings } = yield* examine({ ...env, KBANK_TEST_MODE: "true" })
    assert.match(messagesAbout(warnings, "gateways"), /KBANK_TEST_MODE/u)
  })

  it.each(
    [
      ["has expired", -1, "FAIL"],
      ["ends soon", 29 * DAY, "warn"],
      ["does not expire soon", 31 * DAY, "ok"]
    ] as const
  )("check a client certificate that %s", (_, left, level) => {
    assert.strictEqual(checkCertificate(1_800_000_000_000 + left, 1_800_000_000_000).level, level)
  })

  const now = Date.parse("2026-11-22T10:00:00+07:00")
  const account = { remaining: 340, limit: 350, expiresAt: now + 28 * DAY }
  const told = (changes: Partial<typeof account> | { readonly limit: null } | { readonly remaining: null }) =>
    accountFindings("easyslip", { ...account, ...changes }, now).map(({ level, message }) => `${level} ${message}`)

  it.each(
    [
      [{}, ["ok easyslip accepts the credentials: 340 questions left of 350, until 2026-12-20"]],
      [{ limit: null }, ["ok easyslip accepts the credentials: 340 questions left, until 2026-12-20"]],
      [{ remaining: null }, ["ok easyslip accepts the credentials: questions without a limit, until 2026-12-20"]],
      [{ remaining: 35 }, [
        "ok easyslip accepts the credentials: 35 questions left of 350, until 2026-12-20",
        "warn easyslip: only 35 of 350 questions are left"
      ]],
      [{ remaining: 0 }, [
        "ok easyslip accepts the credentials: 0 questions left of 350, until 2026-12-20",
        "FAIL easyslip: no questions are left in the package"
      ]],
      [{ expiresAt: now + 2 * DAY }, [
        "ok easyslip accepts the credentials: 340 questions left of 350, until 2026-11-24",
        "warn easyslip: the package ends on 2026-11-24"
      ]],
      [{ expiresAt: now - DAY }, [
        "ok easyslip accepts the credentials: 340 questions left of 350, until 2026-11-21",
        "FAIL easyslip: the package ended on 2026-11-21"
      ]]
    ] as ReadonlyArray<[Parameters<typeof told>[0], ReadonlyArray<string>]>
  )("say what is left of an account: %o", (changes, expected) => assert.deepStrictEqual(told(changes), expected))

  it.each(
    [
      ["key", /EASYSLIP_\*/u],
      ["ip", /public address/u],
      ["account", /suspended/u],
      ["quota", /buy questions/u],
      [undefined, /correct the credentials/u]
    ] as const
  )("say what to do about a refusal of the %s", (refusal, advice) => {
    const finding = refusalFinding("easyslip", { why: "the reason", ...(refusal === undefined ? {} : { refusal }) })
    assert.strictEqual(finding.level, "FAIL")
    assert.match(finding.message, /^easyslip .*: the reason$/u)
    assert.match(finding.advice ?? "", advice)
  })
})
