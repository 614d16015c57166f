import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { newSlip, type Verified } from "../../../support/client.ts"
import { spawnService } from "../../../support/service.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { run, runJson } from "../../../support/in-process.ts"

/** A data folder with a verified slip. `verify` starts the service on it, verifies the slip again and stops the service. */
const given = Effect.gen(function* () {
  const dataDir = join(yield* temporaryFolder, "data")
  const slip = newSlip()
  const verifyAs = (caller: { key: string }) =>
    Effect.gen(function* () {
      const service = yield* spawnService(dataDir)
      if (caller.key === "") caller.key = (yield* service.createService()).mainBranch.apiKey
      const { data } = yield* service.verify(caller.key, { payload: slip.payload, remark: "for Somchai" })
      yield* service.stop("SIGTERM")
      return data satisfies Verified
    })
  const verify = verifyAs({ key: "" })
  yield* verify
  return {
    dataDir,
    env: { DATA_DIR: dataDir },
    name: `004:${slip.transRef}`,
    verify,
    /** Verifies the slip for another service. */
    verifyAsStranger: verifyAs({ key: "" })
  }
})

describe("sliptrail trail forget", () => {
  it.live("erases a slip, and prints what else to do", function* () {
    const { env, name, verify } = yield* given
    const { code, stderr, stdout } = yield* run(["trail", "forget", "--slip", name, "--reason", "file 17"], env)
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.match(stdout, /^the personal data of 004:\w+ is erased since \S+Z; .*Older backups of subjects\.key/u)
    const { stdout: trail } = yield* run(["trail", "show", "--slip", name], env)
    assert.include(
      trail,
      "Personal data erased: the sealed data of the slip can no longer be opened; reason: file 17"
    )
    const again = yield* verify
    assert.deepStrictEqual([again.isForgotten, again.isDuplicate], [true, true])
  })

  it.live("erases again the slips of a restored key file", function* () {
    const { dataDir, env, name, verify } = yield* given
    const keys = join(dataDir, "subjects.key")
    copyFileSync(keys, `${keys}.backup`)
    yield* run(["trail", "forget", "--slip", name], env)
    copyFileSync(`${keys}.backup`, keys)
    assert.isUndefined((yield* verify).isForgotten)

    assert.deepStrictEqual(yield* runJson(["trail", "forget", "--again"], env), { slips: 1 })
    assert.isTrue((yield* verify).isForgotten)
  })

  it.live("does not erase again what another service verified after the erasure", function* () {
    const { env, name, verify, verifyAsStranger } = yield* given
    yield* run(["trail", "forget", "--slip", name], env)
    yield* verifyAsStranger

    assert.deepStrictEqual(yield* runJson(["trail", "forget", "--again"], env), { slips: 1 })

    assert.isUndefined((yield* verifyAsStranger).isForgotten)
    assert.isTrue((yield* verify).isForgotten)
  })

  it.live("refuses invalid use, and explains why", function* () {
    const { dataDir, env, name } = yield* given
    const unknown = yield* run(["trail", "forget", "--slip", "004:NOSUCHSLIP"], env)
    assert.deepStrictEqual([unknown.code, unknown.stderr], [1, "sliptrail: there are no events of that slip"])
    for (const args of [[], ["--slip", name, "--again"], ["--slip", "004"]]) {
      assert.strictEqual((yield* run(["trail", "forget", ...args], env)).code, 2, args.join(" "))
    }
    yield* spawnService(dataDir)
    const held = yield* run(["trail", "forget", "--slip", name], env)
    assert.strictEqual(held.code, 2)
    assert.include(held.stderr, "stop it first, or use its admin API with --url: POST /admin/v1/forget")
    const again = yield* run(["trail", "forget", "--again"], env)
    assert.match(again.stderr, /in use by a running SlipTrail: stop it first$/u)
  })
})
