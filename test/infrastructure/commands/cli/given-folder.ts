import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { newSlip } from "../../../support/client.ts"
import { layerRunningService, RunningService } from "../../../support/service.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

/** A data folder after a service has stopped, with a branch and one verification in its log. */
export const givenFolder = Effect.gen(function* () {
  const env = { DATA_DIR: join(yield* temporaryFolder, "data") }
  const verificationId = yield* Effect.gen(function* () {
    const { createService, verify } = yield* RunningService
    const { mainBranch } = yield* createService()
    const { data, status, text } = yield* verify(mainBranch.apiKey, newSlip().payload)
    assert.strictEqual(status, 200, text)
    return data.verificationId
  }).pipe(Effect.provide(layerRunningService(env)))
  return { env, file: (name: string) => join(env.DATA_DIR, name), verificationId }
})
