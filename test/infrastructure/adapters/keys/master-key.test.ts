import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Redacted } from "effect"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { masterKeyOfFolder, masterKeyOfSetting } from "../../../../infrastructure/adapters/keys/master-key.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

const KEY = Buffer.alloc(32, 7).toString("base64")

const make = (folder: string) => Effect.map(masterKeyOfFolder(folder, { create: true }), Redacted.value)

describe("the master key", () => {
  it.effect("is created once, of 32 random bytes, readable by the owner only", function* () {
    const folder = yield* temporaryFolder
    const other = yield* temporaryFolder

    const made = yield* make(folder)

    assert.lengthOf(made, 32)
    assert.strictEqual(statSync(join(folder, "master.key")).mode & 0o777, 0o600)
    assert.deepStrictEqual(yield* make(folder), made)
    assert.deepStrictEqual(readdirSync(folder), ["master.key"])
    assert.notDeepEqual(yield* make(other), made)
  })

  it.effect("is created after a start that crashed while it created the key", function* () {
    const folder = yield* temporaryFolder
    writeFileSync(join(folder, `master.key.${hostname()}.${process.pid}`), "half a k", { mode: 0o600 })

    const made = yield* make(folder)

    assert.lengthOf(made, 32)
    assert.deepStrictEqual(readdirSync(folder), ["master.key"])
  })

  it.effect("is not created by a process that only reads", function* () {
    const folder = yield* temporaryFolder
    const error = yield* Effect.flip(masterKeyOfFolder(folder, { create: false }))
    assert.include(error.message, "is missing")
    assert.isFalse(existsSync(join(folder, "master.key")))
  })

  it.effect.each(["", "\n", "not base64 at all", KEY.slice(4), `${KEY}${KEY}`])(
    "is refused and left unchanged when the file holds %o",
    function* (content) {
      const folder = yield* temporaryFolder
      const file = join(folder, "master.key")
      writeFileSync(file, content)
      const error = yield* Effect.flip(make(folder))
      assert.include(error.message, `${file} must hold 32 bytes in base64`)
      assert.strictEqual(readFileSync(file, "utf8"), content)
    }
  )

  it.effect("cannot be created in a folder that does not exist", function* () {
    const folder = join(yield* temporaryFolder, "missing")
    const error = yield* Effect.flip(make(folder))
    assert.include(error.message, "cannot be created")
  })

  it.effect("comes from the setting too, which is validated in the same way and never printed", function* () {
    const key = yield* masterKeyOfSetting(Redacted.make(KEY))
    assert.deepStrictEqual(Redacted.value(key), new Uint8Array(32).fill(7))
    assert.notInclude(JSON.stringify({ key }) + inspect(key), KEY.slice(0, 10))

    const error = yield* Effect.flip(masterKeyOfSetting(Redacted.make("c2hvcnQ=")))
    assert.include(error.message, "MASTER_KEY must hold 32 bytes in base64")
    assert.notInclude(error.message, "c2hvcnQ=")
  })
})
