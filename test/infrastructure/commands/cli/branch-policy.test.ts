import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { join } from "node:path"
import { run, runJson } from "../../../support/in-process.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

const given = Effect.map(temporaryFolder, (folder) => ({ DATA_DIR: join(folder, "data") }))

describe("sliptrail branch policy", () => {
  it.live("sets, shows and removes the policy of a branch", function* () {
    const env = yield* given
    const { mainBranch: { id } } = yield* runJson(["service", "create", "--name", "Shop"], env)
    const flags = [
      "--at-least",
      "20.50",
      "--after",
      "2026-11-21",
      "--receivers",
      "registered",
      "--sending-bank",
      "004"
    ]
    const policy = {
      version: 1,
      conditions: {
        amount: { atLeast: 20.5 },
        transferredAt: { after: "2026-11-20T17:00:00.000Z" },
        sendingBanks: ["004"],
        receivers: "registered"
      }
    }
    assert.deepStrictEqual(yield* runJson(["branch", "policy", "set", id, ...flags], env), policy)
    assert.deepStrictEqual(yield* runJson(["branch", "policy", "show", id], env), policy)
    const { stdout } = yield* run(["branch", "policy", "show", id], env)
    assert.deepStrictEqual(stdout.trim().split("\n").map((line) => line.split(/\s{2,}/u)), [
      ["policy", "version 1"],
      ["at-least", "20.5"],
      ["after", "2026-11-20T17:00:00.000Z"],
      ["receivers", "registered"],
      ["sending-bank", "004"]
    ])
    const none = { version: null, conditions: null }
    assert.deepStrictEqual(yield* runJson(["branch", "policy", "remove", id], env), none)
    assert.match(
      (yield* run(["trail", "show", "--branch", id], env)).stdout,
      /Policy set to version 1: at least 20\.50/u
    )
  })
})
