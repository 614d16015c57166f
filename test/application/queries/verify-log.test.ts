import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { examineExport, examineStored, exportedLines, givenSignedLog } from "../../support/signed-log.ts"

describe("a log that was signed", () => {
  it.live("is whole", () =>
    Effect.gen(function*() {
      const log = yield* givenSignedLog(10, 7, 13)
      const stored = yield* examineStored(log)
      assert.deepStrictEqual(stored.findings, [])
      const file = join(log.folder, "export.ndjson")
      writeFileSync(file, (yield* exportedLines(log)).map((line) => `${line}\n`).join(""))
      const exported = yield* examineExport(log, file)
      assert.deepStrictEqual(exported, stored)
      assert.deepInclude(stored, { isWhole: true, events: 33, covered: 32, uncovered: 0, inFile: 3 })
    }))
})
