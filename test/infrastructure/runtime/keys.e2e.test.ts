import { assert, describe, it } from "../../support/it.ts"
import { existsSync, renameSync } from "node:fs"
import { run } from "../../support/in-process.ts"
import { givenFolder } from "../commands/cli/given-folder.ts"

describe("the keys of a data folder", () => {
  for (const name of ["master.key", "subjects.key"]) {
    it.live(`are not created in place of a lost ${name}`, function* () {
      const { env, file: pathOf } = yield* givenFolder
      const [file, moved] = [pathOf(name), pathOf("moved")]
      renameSync(file, moved)

      const { code, stderr } = yield* run(["service", "list"], env)
      assert.strictEqual(code, 2)
      assert.include(stderr, `${file} is missing.`)
      assert.isFalse(existsSync(file), "a new file hides the loss")

      renameSync(moved, file)
      assert.strictEqual((yield* run(["service", "list"], env)).code, 0)
    })
  }
})
