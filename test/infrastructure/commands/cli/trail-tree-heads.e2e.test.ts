import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { eventually } from "../../../support/eventually.ts"
import { run, runJson } from "../../../support/in-process.ts"
import { layerRunningService, RunningService } from "../../../support/service.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

describe("sliptrail trail tree-heads", () => {
  it.live("writes the tree heads of a copy of a backup, which has no read models, and changes nothing in it", function* () {
    const folder = yield* temporaryFolder
    const env = { DATA_DIR: join(folder, "data"), CHECKPOINT_EVENTS: "5" }
    let attempts = 0
    const treeHeads = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
      const file = join(folder, `tree-heads-${attempts++}`)
      const { code, stderr } = yield* run(["trail", "tree-heads", "--out", file], env)
      return { code, stderr, text: existsSync(file) ? readFileSync(file, "utf8") : "" }
    })
    const signed = yield* Effect.gen(function* () {
      yield* (yield* RunningService).createService()
      return yield* eventually(treeHeads(env), ({ text }) => text !== "")
    }).pipe(Effect.provide(layerRunningService(env)))
    yield* runJson(["backup", "--out", join(folder, "backup")], env)
    const copy = join(folder, "copy")
    cpSync(join(folder, "backup"), copy, { recursive: true })
    rmSync(env.DATA_DIR, { recursive: true })
    const files = readdirSync(copy)
    const { code, stderr, text } = yield* treeHeads({ DATA_DIR: copy })
    assert.strictEqual(code, 0, stderr)
    assert.isTrue(text.startsWith(signed.text), text)
    assert.deepStrictEqual(readdirSync(copy), files)
  })

  it.live("says that there is no data in an empty folder", function* () {
    const { code, stderr } = yield* run(["trail", "tree-heads"], { DATA_DIR: yield* temporaryFolder })
    assert.strictEqual(code, 2)
    assert.match(stderr, /there is no data in/u)
  })
})
