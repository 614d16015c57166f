import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { existsSync, rmSync, statSync } from "node:fs"
import { run } from "../../../support/in-process.ts"
import { givenFolder } from "./given-folder.ts"

const given = Effect.map(
  givenFolder,
  ({ env, file, verificationId }) => ({ file, show: run(["trail", "show", "--verification", verificationId], env) })
)

describe("a read-only command on a data folder without a service", () => {
  it.live("writes nothing when the read models are up to date", function* () {
    const { file, show } = yield* given
    // The first command may clean up after the service.
    const { stdout } = yield* show
    const writtenAt = () => ["events.db", "models.db", "subjects.key"].map((name) => statSync(file(name)).mtimeMs)
    const before = writtenAt()
    assert.deepStrictEqual(yield* show, { code: 0, stdout, stderr: "" })
    assert.deepStrictEqual(writtenAt(), before)
  })

  it.live("rebuilds missing read models", function* () {
    const { file, show } = yield* given
    const { stdout } = yield* show
    for (const name of ["models.db", "models.db-shm", "models.db-wal"]) rmSync(file(name), { force: true })
    assert.deepStrictEqual(yield* show, { code: 0, stdout, stderr: "" })
    assert.isTrue(existsSync(file("models.db")))
  })
})
