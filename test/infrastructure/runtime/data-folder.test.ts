import { assert, describe, it } from "../../support/it.ts"
import { ConfigProvider, Effect, Layer } from "effect"
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { layerEngines } from "../../../infrastructure/runtime/engines.ts"
import { closeToOthers } from "../../../infrastructure/runtime/data-folder.ts"
import { readSettings } from "../../../infrastructure/platform/settings/settings.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

const openFolder = Effect.gen(function* () {
  const folder = join(yield* temporaryFolder, "data")
  mkdirSync(folder)
  chmodSync(folder, 0o755)
  return folder
})

describe("a data folder without its log", () => {
  const start = Effect.fnUntraced(function* (folder: string) {
    const settings = yield* readSettings.parse(ConfigProvider.fromEnvRecord({ DATA_DIR: folder }))
    yield* Effect.scoped(Layer.build(layerEngines(settings)))
  })

  it.live("is refused while it has the read models of the log, and starts a new log without them", function* () {
    const folder = join(yield* temporaryFolder, "data")
    yield* start(folder)
    yield* start(folder)
    const removeLog = () =>
      ["", "-wal", "-shm"].forEach((end) => rmSync(join(folder, `events.db${end}`), { force: true }))
    removeLog()
    for (const lost of ["missing", "empty"]) {
      if (lost === "empty") writeFileSync(join(folder, "events.db"), "")
      const error = yield* Effect.flip(start(folder))
      assert.match(String(error), /events\.db is missing or empty, but models\.db.*restore a backup/u, lost)
    }
    removeLog()
    for (const name of readdirSync(folder)) if (/^models|^checkpoints/u.test(name)) rmSync(join(folder, name))
    yield* start(folder)
  })
})

describe.skipIf(process.platform === "win32")("a data folder that was open to other users", () => {
  it.effect("is closed with its files, and its folders stay as they are", function* () {
    const folder = yield* openFolder
    writeFileSync(join(folder, "events.db"), "")
    chmodSync(join(folder, "events.db"), 0o644)
    mkdirSync(join(folder, "before-restore-1"))
    chmodSync(join(folder, "before-restore-1"), 0o755)

    yield* closeToOthers(folder)

    assert.strictEqual(modeOf(folder), "700")
    assert.strictEqual(modeOf(join(folder, "events.db")), "600")
    assert.strictEqual(modeOf(join(folder, "before-restore-1")), "755")
  })

  it.live("is closed by the start of a service, with the files that the stores make", function* () {
    const folder = yield* openFolder
    const settings = yield* readSettings.parse(ConfigProvider.fromEnvRecord({ DATA_DIR: folder }))
    yield* Effect.scoped(Effect.gen(function* () {
      yield* Layer.build(layerEngines(settings))
      const files = readdirSync(folder)
      assert.includeMembers(files, ["events.db", "models.db", "master.key", "lock.db"])
      assert.deepStrictEqual(files.filter((file) => modeOf(join(folder, file)) !== "600"), [])
      assert.strictEqual(modeOf(folder), "700")
    }))
  })
})
