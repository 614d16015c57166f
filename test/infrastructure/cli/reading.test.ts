import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { newSlip } from "../../support/client.ts"
import { run } from "../../support/in-process.ts"
import { layerRunningService, RunningService } from "../../support/service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

/** A folder that a service has left, with a verification in it. */
const givenFolder = Effect.gen(function*() {
  const env = { DATA_DIR: join(yield* temporaryFolder, "data") }
  const verificationId = yield* Effect.gen(function*() {
    const { createService, verify } = yield* RunningService
    const { mainBranch } = yield* createService()
    return (yield* verify(mainBranch.apiKey, newSlip().payload)).data.verificationId
  }).pipe(Effect.provide(layerRunningService(env)))
  const file = (name: string) => join(env.DATA_DIR, name)
  return { file, show: run(["trail", "show", "--verification", verificationId], env) }
})

describe("a look into a folder that nobody has open", () => {
  it.live("writes nothing where the read models have what is in the log", () =>
    Effect.gen(function*() {
      const { file, show } = yield* givenFolder
      // The first look may tidy what the service left.
      const { stdout } = yield* show
      const writtenAt = () => ["events.db", "models.db", "subjects.key"].map((name) => statSync(file(name)).mtimeMs)
      const before = writtenAt()
      assert.deepStrictEqual(yield* show, { code: 0, stdout, stderr: "" })
      assert.deepStrictEqual(writtenAt(), before)
    }))

  it.live("builds the read models that are lost", () =>
    Effect.gen(function*() {
      const { file, show } = yield* givenFolder
      const { stdout } = yield* show
      for (const name of ["models.db", "models.db-shm", "models.db-wal"]) rmSync(file(name), { force: true })
      assert.deepStrictEqual(yield* show, { code: 0, stdout, stderr: "" })
      assert.isTrue(existsSync(file("models.db")))
    }))
})
