import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { holdDataFolder, modelsFile } from "../../../../infrastructure/runtime/data-folder.ts"
import { modelName } from "../../../../projections/engine/model-name.ts"
import { projections } from "../../../../projections/models/all.ts"
import { branchesModel } from "../../../../projections/models/branches.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { run, runJson } from "../../../support/in-process.ts"

const givenService = Effect.gen(function* () {
  const env = { DATA_DIR: join(yield* temporaryFolder, "data") }
  yield* runJson(["service", "create", "--name", "Shop"], env)
  return env
})

const tamper = (dataDir: string, sql: string) =>
  Effect.sync(() => {
    const database = new DatabaseSync(modelsFile(dataDir))
    database.exec(sql)
    database.close()
  })

const RENAME = `UPDATE rows SET fields = replace(fields, '"Shop"', '"Other"') WHERE tbl = 'services'`

describe("sliptrail projections", () => {
  it.live("lists the checkpoint of each read model, also while a service has the folder open", function* () {
    const env = yield* givenService
    yield* tamper(env.DATA_DIR, "DELETE FROM models WHERE name = 'quota.v2'")
    yield* holdDataFolder(env.DATA_DIR)
    const listed: ReadonlyArray<{ readonly name: string; readonly lag: number; readonly head: string }> =
      yield* runJson(["projections", "list"], env)
    assert.deepStrictEqual(listed.map(({ name }) => name), projections.map(({ name }) => name))
    const [branches, quota] = listed
    assert.strictEqual(branches?.lag, 0)
    assert.strictEqual(quota?.lag, Number(quota?.head.split("/")[0]))
    assert.match((yield* run(["projections", "list"], env)).stdout, /quota .*behind/u)
  })

  it.live("compares a read model with a replay, prints the differences, and rebuilds it", function* () {
    const env = yield* givenService
    const same = yield* run(["projections", "compare", "branches"], env)
    assert.strictEqual(same.code, 0)
    assert.match(same.stdout, /^branches\.v\d+ equals a replay of the log: \d+ lines/u)

    yield* tamper(env.DATA_DIR, RENAME)
    const different = yield* run(["projections", "compare", "branches"], env)
    assert.strictEqual(different.code, 1)
    assert.match(different.stdout, /^only live .*"Other".*\nonly replayed .*"Shop"/u)
    assert.include(different.stderr, "sliptrail projections rebuild branches")
    const report = JSON.parse((yield* run(["projections", "compare", "branches", "--json"], env)).stdout)
    assert.deepInclude(report, { isSame: false })
    assert.lengthOf(report.surplus, 1)

    assert.match((yield* run(["projections", "rebuild", "branches"], env)).stdout, /^branches was rebuilt/u)
    assert.strictEqual((yield* run(["projections", "compare", "branches"], env)).code, 0)
  })

  it.live("compares while a service is running", function* () {
    const env = yield* givenService
    yield* holdDataFolder(env.DATA_DIR)
    assert.strictEqual((yield* run(["projections", "compare", "branches"], env)).code, 0)
    yield* tamper(env.DATA_DIR, RENAME)
    assert.strictEqual((yield* run(["projections", "compare", "branches"], env)).code, 1)
  })

  it.live("refuses a rebuild while a service has the folder open", function* () {
    const env = yield* givenService
    yield* holdDataFolder(env.DATA_DIR)
    assert.strictEqual((yield* run(["projections", "rebuild", "branches"], env)).code, 2)
  })

  it.live("reports a read model that is ahead of the log, and rebuilds it", function* () {
    const env = yield* givenService
    const model = modelName(branchesModel)
    yield* tamper(env.DATA_DIR, `UPDATE models SET position = '99/99' WHERE name = '${model}'`)
    const { code, stderr } = yield* run(["projections", "compare", "branches"], env)
    assert.strictEqual(code, 1)
    assert.include(stderr, "the read model is at 99/99")
    assert.include((yield* run(["projections", "list"], env)).stdout, "ahead of the log")
    assert.strictEqual((yield* run(["projections", "rebuild", "branches"], env)).code, 0)
    assert.strictEqual((yield* run(["projections", "compare", "branches"], env)).code, 0)
  })
})
