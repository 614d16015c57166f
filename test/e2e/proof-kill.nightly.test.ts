import { assert, describe, it } from "../support/it.ts"
import { Effect, Fiber } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { LogVerdict } from "../../application/log-proof/verify-log/verify-log.ts"
import { eventually } from "../support/eventually.ts"
import { run } from "../support/in-process.ts"
import { startLoad } from "../support/load.ts"
import { spawnService } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const KILLS = 3

/** Signs so often that kills hit the signing of tree heads and the writing of their lines. */
const signing = { CHECKPOINT_EVENTS: "7", CHECKPOINT_INTERVAL: "50 millis" }

const verdictOn = (dataDir: string) =>
  Effect.map(run(["trail", "verify", "--json"], { DATA_DIR: dataDir }), ({ code, stdout }) => {
    const verdict: LogVerdict = JSON.parse(stdout)
    return { code, isExpected: code === (verdict.checkpoint === null ? 3 : 0), verdict }
  })

describe("the signed log under kill -9", () => {
  it.live("stays intact after each kill and continues as one chain", function* () {
    const dataDir = join(yield* temporaryFolder, "data")
    let key = ""
    for (let kill = 0; kill < KILLS; kill++) {
      const service = yield* spawnService(dataDir, signing)
      if (kill === 0) key = (yield* service.createService()).mainBranch.apiKey
      const load = yield* startLoad(() => [service], key)
      const verifying = yield* Effect.forkChild(verdictOn(dataDir))
      yield* load.more(25)
      const whileRunning = yield* Fiber.join(verifying)
      assert.isTrue(whileRunning.isExpected, JSON.stringify(whileRunning))
      yield* service.stop("SIGKILL")
      yield* load.stop
      const { isExpected, verdict } = yield* verdictOn(dataDir)
      assert.isTrue(isExpected, JSON.stringify(verdict))
      // A kill can separate a tree head from its line in the file. The line is always written after the tree head.
      assert.include([0, 1], (verdict.checkpoint?.number ?? 0) - verdict.inFile)
    }
    const last = yield* spawnService(dataDir, signing)
    yield* eventually(verdictOn(dataDir), ({ verdict }) => verdict.uncovered === 0)
    assert.strictEqual(yield* last.stop("SIGTERM"), 0)
    const { verdict } = yield* verdictOn(dataDir)
    assert.deepInclude(verdict, { isWhole: true, uncovered: 0 })
    assert.isAtLeast(verdict.inFile, KILLS * 3)
    const lines = readFileSync(join(dataDir, "checkpoints.ndjson"), "utf8").trimEnd().split("\n")
    assert.deepStrictEqual(lines.map((line) => JSON.parse(line).number), lines.map((_, index) => index + 1))
    assert.lengthOf(lines, verdict.checkpoint?.number ?? 0)
  })
})
