import { assert, describe, it } from "@effect/vitest"
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

/** So that a kill meets the signing of a checkpoint, and the writing of its line. */
const signing = { CHECKPOINT_EVENTS: "7", CHECKPOINT_INTERVAL: "50 millis" }

const verdictOn = (dataDir: string) =>
  Effect.map(run(["trail", "verify", "--json"], { DATA_DIR: dataDir }), ({ code, stdout }) => {
    const verdict: LogVerdict = JSON.parse(stdout)
    return { code, verdict }
  })

describe("the signed log under kill -9", () => {
  it.live(
    "is whole after each, beside the service and at rest, and goes on as one chain",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* temporaryFolder, "data")
        let key = ""
        for (let kill = 0; kill < KILLS; kill++) {
          const service = yield* spawnService(dataDir, signing)
          if (kill === 0) key = (yield* service.createService()).mainBranch.apiKey
          const load = yield* startLoad(() => [service], key)
          const looking = yield* Effect.forkChild(verdictOn(dataDir))
          yield* load.more(25)
          const beside = yield* Fiber.join(looking)
          assert.deepInclude(beside, { code: 0 }, JSON.stringify(beside.verdict.findings))
          yield* service.stop("SIGKILL")
          yield* load.stop
          const { code, verdict } = yield* verdictOn(dataDir)
          assert.strictEqual(code, 0, JSON.stringify(verdict.findings))
          // A kill may come between a checkpoint and its line, never the other way round.
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
  )
})
