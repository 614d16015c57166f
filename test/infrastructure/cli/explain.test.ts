import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { newSlip } from "../../support/client.ts"
import { run } from "../../support/in-process.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

/** A folder of a service that has verified a slip. */
const givenVerification = Effect.gen(function*() {
  const env = { DATA_DIR: join(yield* temporaryFolder, "data") }
  const verificationId = yield* Effect.gen(function*() {
    const { createService, verify } = yield* RunningService
    const { mainBranch } = yield* createService()
    return (yield* verify(mainBranch.apiKey, newSlip().payload)).data.verificationId
  }).pipe(Effect.provide(layerRunningService(env)))
  return { env, verificationId }
})

describe("a log that was damaged", () => {
  for (
    const [what, change] of [
      ["is no JSON", "substr(data, 1, 20)"],
      ["lacks a field", "json_remove(data, '$.charged')"],
      ["has another type in a field", "json_set(data, '$.at', 5)"]
    ] as const
  ) {
    it.live(`that ${what} is told in one line, which says what to do`, () =>
      Effect.gen(function*() {
        const { env, verificationId } = yield* givenVerification
        const db = new DatabaseSync(join(env.DATA_DIR, "events.db"))
        db.exec(`UPDATE events SET data = ${change} WHERE type = 'SlipVerified'`)
        db.close()
        const { code, stderr } = yield* run(["trail", "show", "--verification", verificationId], env)
        assert.strictEqual(code, 2)
        assert.match(stderr, /^sliptrail: [^\n]*sliptrail trail verify says whether the log was changed, and where$/u)
      }))
  }
})
