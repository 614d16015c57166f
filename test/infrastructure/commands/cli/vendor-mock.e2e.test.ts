import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { identityIn } from "../../../../infrastructure/commands/receiver/identity.ts"
import { run } from "../../../support/in-process.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { startTestServer } from "../receiver/given-receiver.ts"
import { newSlip, protocols } from "../vendor-mock/ask-vendor.ts"

describe("sliptrail vendor-mock", () => {
  it.live("prints the settings, shows the faults of its flags, prints each request, and stops", function* () {
    const folder = yield* temporaryFolder
    const flags = ["--http", "--fault", "easyslip=server-error:1", "--quota", "easyslip=5", "--delay", "slipok=1"]
    const command = yield* startTestServer("vendor-mock", folder, flags, "Ctrl-C")
    const settings = new Map(
      Array.from(command.stdout().matchAll(/^ {2}([A-Z0-9_]+)=(\S+)$/gmu), ([, name, value]) => [name, value])
    )
    const base = settings.get("EASYSLIP_BASE_URL") ?? ""
    const call = (path: string, options: RequestInit = {}) =>
      Effect.promise(async () => {
        const headers = { ...protocols.easyslip.headers, "content-type": "application/json" }
        const response = await fetch(base + path, { headers, ...options })
        return { status: response.status, body: await response.json() }
      })
    const body = JSON.stringify({ payload: newSlip().payload })

    const first = yield* call("/verify/bank", { method: "POST", body })
    const second = yield* call("/verify/bank", { method: "POST", body })
    const info = yield* call("/info")

    assert.match(base, /^http:\/\/127\.0\.0\.1:\d+\/easyslip\/v2$/u)
    assert.include(protocols.easyslip.headers.authorization, settings.get("EASYSLIP_API_KEY") ?? "none")
    assert.isFalse(settings.has("EGRESS_CA_FILE"))
    assert.deepStrictEqual([first.status, second.status], [500, 200])
    assert.strictEqual(info.body.data.application.quota.remaining, 4)
    assert.match(command.stdout(), /easyslip {2}BankSlip {4}server-error .* fault server-error\n/u)
    assert.match(command.stdout(), /easyslip {2}BankSlip {4}found +004:SBX\w+\n/u)
    assert.strictEqual(yield* command.stop("SIGTERM"), 0)
    assert.strictEqual(command.stderr(), "")
  })

  it.live("uses the certificate of sliptrail receiver, so that one setting trusts both", function* () {
    const folder = yield* temporaryFolder
    const { authorityFile } = yield* identityIn(folder)
    const authority = readFileSync(authorityFile, "utf8")
    const command = yield* startTestServer("vendor-mock", folder, ["--json"], "settings")

    const { settings } = JSON.parse(command.stdout())
    assert.strictEqual(settings.EGRESS_CA_FILE, authorityFile)
    assert.strictEqual(readFileSync(authorityFile, "utf8"), authority)
    assert.match(settings.SLIPOK_BASE_URL, /^https:/u)
  })

  it.live.each<readonly [flags: ReadonlyArray<string>, why: string]>([
    [["--port", "70000"], "--port: Expected 0 to 65535"],
    [["--fault", "scb=reset"], "--fault: Expected VENDOR=FAULT"],
    [["--fault", "slipok=flood"], "--fault: Expected VENDOR=FAULT"],
    [["--fault", "slipok=reset:often"], "--fault: Expected VENDOR=FAULT"],
    [["--delay", "slipok=long"], "--delay: Expected VENDOR=MILLISECONDS"],
    [["--quota", "slipok"], "--quota: Expected VENDOR=UNITS"]
  ])("refuses %j", ([flags, why]) =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run(["vendor-mock", ...flags])
      assert.strictEqual(code, 2)
      assert.include(stderr, why)
    }))
})
