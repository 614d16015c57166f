import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, renameSync } from "node:fs"
import { join } from "node:path"
import { newSlip } from "../../support/client.ts"
import { run } from "../../support/in-process.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

/** A folder whose log has sealed a branch's secret and a slip. */
const givenSealed = Effect.gen(function*() {
  const folder = join(yield* temporaryFolder, "data")
  const env = { DATA_DIR: folder }
  yield* Effect.gen(function*() {
    const { createService, verify } = yield* RunningService
    const { mainBranch } = yield* createService()
    assert.strictEqual((yield* verify(mainBranch.apiKey, newSlip().payload)).status, 200)
  }).pipe(Effect.provide(layerRunningService(env)))
  return { env, folder }
})

describe("keys of a data folder", () => {
  for (const name of ["master.key", "subjects.key"]) {
    it.live(`are not made in place of a ${name} that was lost`, () =>
      Effect.gen(function*() {
        const { env, folder } = yield* givenSealed
        const [file, kept] = [join(folder, name), join(folder, "kept")]
        renameSync(file, kept)

        const { code, stderr } = yield* run(["service", "list"], env)
        assert.strictEqual(code, 2)
        assert.include(stderr, `${file} is missing: put it back`)
        assert.isFalse(existsSync(file), "whoever looks for it finds that it is gone")

        renameSync(kept, file)
        assert.strictEqual((yield* run(["service", "list"], env)).code, 0)
      }))
  }
})
