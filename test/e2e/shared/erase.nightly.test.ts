import { assert, describe, it } from "../../support/it.ts"
import { join } from "node:path"
import { newSlip } from "../../support/client.ts"
import { sliptrail } from "../../support/command.ts"
import { eventually } from "../../support/eventually.ts"
import { startSharedEngines } from "../../support/shared-engines.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

describe("erasure with several processes", () => {
  it.live("applies to all processes that share a key file, and leaves no data of the slip in Redis", function* () {
    const engines = yield* startSharedEngines
    const env = { SUBJECT_KEYS_FILE: join(yield* temporaryFolder, "subjects.key") }
    const first = yield* engines.service(env)
    const second = yield* engines.service({ ...env, ROLES: "http" })
    const { mainBranch } = yield* first.createService()
    const slip = newSlip()
    const verified = yield* first.verify(mainBranch.apiKey, { payload: slip.payload, remark: "for Somchai" })
    assert.strictEqual(verified.status, 200, verified.text)

    const forgotten = yield* first.admin("POST", "/forget", { slip: `004:${slip.transRef}` })
    assert.strictEqual(forgotten.status, 200, forgotten.text)

    for (const service of [first, second]) {
      const { data } = yield* eventually(
        service.verify(mainBranch.apiKey, slip.payload),
        ({ data }) => data.isForgotten === true
      )
      assert.isTrue(data.isDuplicate)
    }
    const keys = yield* engines.redis.command("KEYS", "*")
    for (const key of Array.isArray(keys) ? keys : []) {
      const dump = String(yield* engines.redis.command("DUMP", String(key)))
      for (const word of [slip.transRef, "Somchai"]) assert.notInclude(dump, word)
    }

    const without = yield* sliptrail(["service", "list"], { cwd: yield* temporaryFolder, env: engines.env })
    assert.strictEqual(without.code, 2)
    assert.include(without.stderr, "SUBJECT_KEYS_FILE is not set")
  })

  it.live("is rejected without a shared key file, with the missing setting in the message", function* () {
    const engines = yield* startSharedEngines
    const service = yield* engines.service()
    const { mainBranch } = yield* service.createService()
    const slip = newSlip()
    yield* service.verify(mainBranch.apiKey, slip.payload)
    const { error, status } = yield* service.admin("POST", "/forget", { slip: `004:${slip.transRef}` })
    assert.strictEqual(status, 500)
    assert.include(error?.message, "SUBJECT_KEYS_FILE")
  })
})
