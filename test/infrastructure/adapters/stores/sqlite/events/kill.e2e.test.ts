import { assert, describe, it } from "../../../../../support/it.ts"
import { Effect } from "effect"
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { acknowledged, appendForever, faultsOf, startProcess } from "./appending-process.ts"
import { tempLog } from "./temp-folder.ts"
import { runs } from "../../../../../support/runs.ts"

const KILLS = runs(10, 50)

describe("embedded event log under kill -9", () => {
  it.live("keeps every acknowledged append complete when the appending process is killed", function* () {
    const file = yield* tempLog
    const all: Array<string> = []
    for (let kill = 0; kill < KILLS; kill++) {
      // Kills after a number of acknowledgements, from 1 to 400.
      const acksBeforeKill = 1 + (kill * 37) % 400
      const { ended } = startProcess(appendForever(file), (lines, child) => {
        if (lines.length >= acksBeforeKill) child.kill("SIGKILL")
      })
      const ids = acknowledged(yield* Effect.promise(() => ended))
      assert.isAtLeast(ids.length, acksBeforeKill)
      all.push(...ids)
      assert.deepStrictEqual(faultsOf(file, all), [], `after kill ${kill + 1}`)
    }
  })

  it.live("acknowledges only stored appends when the disk is full", function* () {
    const file = yield* tempLog
    mkdirSync(dirname(file))
    // Simulates a full disk with a limit on the file size, in blocks of 512 bytes.
    const limited = ["sh", "-c", "trap '' XFSZ; ulimit -f 2000; exec \"$@\"", "sh", ...appendForever(file)] as const
    const lines = yield* Effect.promise(() => startProcess(limited).ended)
    const ids = acknowledged(lines)
    assert.isAbove(ids.length, 0)
    assert.lengthOf(lines.filter((line) => line === "failed unavailable"), 16)
    assert.deepStrictEqual(faultsOf(file, ids), [])
  })
})
