import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { readFileSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { newSlip } from "../../support/client.ts"
import { sliptrail } from "../../support/command.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

describe("the trail of a shared log", () => {
  it.live("is shown, exported and disclosed while services run", function* () {
    const engines = yield* startSharedEngines
    const service = yield* engines.service()
    const { mainBranch } = yield* service.createService()
    const slips = Array.from({ length: 5 }, () => newSlip())
    for (const { payload } of slips) {
      const verified = yield* service.verify(mainBranch.apiKey, { payload, remark: "for Somchai" })
      assert.strictEqual(verified.status, 200, verified.text)
    }
    const cwd = yield* temporaryFolder
    const run = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
      const { code, stderr, stdout } = yield* sliptrail(["trail", ...args], { cwd, env: engines.env })
      assert.strictEqual(code, 0, stderr)
      return stdout
    })
    const [slip = newSlip()] = slips
    const ofSlip = ["--slip", `004:${slip.transRef}`]
    assert.notInclude(yield* run("show", ...ofSlip), slip.transRef)
    assert.match(yield* run("at", "2099-01-01", ...ofSlip), /^verified +once, by branch/mu)
    assert.match(
      yield* run("at", new Date().toISOString(), "--branch", mainBranch.id),
      /^quota +5 used of unlimited/mu
    )

    const revealed = yield* run("show", ...ofSlip, "--reveal")
    assert.include(revealed, 'remark "for Somchai"')
    assert.include(yield* run("show", ...ofSlip), "Personal data shown to")
    assert.strictEqual((yield* service.verify(mainBranch.apiKey, newSlip().payload)).status, 200)

    const out = join(cwd, "log.ndjson")
    yield* run("export", "--branch", mainBranch.id, "--out", out)
    const whole = readFileSync(out, "utf8")
    assert.strictEqual(whole.split("\n").filter((line) => line.includes('"SlipVerified"')).length, 6)
    assert.notInclude(whole, "Somchai")
    truncateSync(out, Math.floor(whole.length / 2))
    yield* run("export", "--branch", mainBranch.id, "--out", out)
    const continued = readFileSync(out, "utf8")
    // A run that writes events is recorded, and the export contains its record.
    assert.isTrue(continued.startsWith(whole))
    assert.match(continued.slice(whole.length), /^\{[^\n]*"type":"TrailExported"[^\n]*\n$/u)
  })
})
