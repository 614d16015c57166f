import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { chmodSync, copyFileSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { eventsFile, holdDataFolder, modelsFile } from "../../../../infrastructure/runtime/data-folder.ts"
import { everySetting } from "../../../../infrastructure/platform/settings/settings.ts"
import type { Env } from "../../../support/service.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { run, runJson } from "../../../support/in-process.ts"
import { examine } from "./examined.ts"

const emptyFolder = Effect.map(temporaryFolder, (folder) => ({ DATA_DIR: join(folder, "data") }))

const givenService = Effect.tap(emptyFolder, (env) => runJson(["service", "create", "--name", "Shop"], env))

const execute = (file: string, sql: string) => {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

/** The place of the last byte of an index's first page: the position of its first event. */
const lastByteOf = (file: string, index: string): number => {
  const database = new DatabaseSync(file)
  const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(index)?.["rootpage"]
  const { page_size: size } = database.prepare("PRAGMA page_size").get() ?? {}
  database.close()
  return Number(root) * Number(size) - 1
}

describe("sliptrail doctor", () => {
  it.live("finds no fault in a new data folder, with and without a running service", function* () {
    const env = yield* givenService
    const atRest = yield* examine(env)
    assert.deepStrictEqual(atRest.faults, [])
    assert.include(atRest.findings.map(({ message }) => message).join("\n"), "journal_mode wal, synchronous full")
    yield* holdDataFolder(env.DATA_DIR)
    const inUse = yield* examine(env)
    assert.deepStrictEqual(inUse.faults, [])
    assert.include(inUse.findings.map(({ message }) => message).join("\n"), "open in a running service")
  })

  it.live("prints every setting and one line for each finding", function* () {
    const { stdout } = yield* run(["doctor"], yield* givenService)
    for (const { name } of everySetting) assert.match(stdout, new RegExp(`^${name} `, "mu"))
    assert.match(stdout, /^(Node|Deno) .*SQLite \d.*effect 4/mu)
    assert.match(stdout, /^ok +event log/mu)
  })

  it.live("prints its faults last, and ends with exit code 1", function* () {
    const { code, stderr, stdout } = yield* run(["doctor"], { ...(yield* emptyFolder), LOG_LEVEL: "loud" })
    assert.strictEqual(code, 1)
    const lines = stdout.trimEnd().split("\n")
    const levels = lines.flatMap((line) => /^(ok|warn|FAIL) /u.exec(line)?.[1] ?? [])
    assert.deepStrictEqual(levels, ["ok", "warn", "FAIL"].flatMap((level) => levels.filter((one) => one === level)))
    assert.strictEqual(levels.at(-1), "FAIL")
    assert.isAbove(
      lines.findIndex((line) => line.startsWith("FAIL ")),
      lines.findLastIndex((line) => line.startsWith("PORT "))
    )
    assert.match(stderr, /there is 1 fault/u)
  })

  it.live("warns when there is no data yet, and creates none", function* () {
    const env = yield* emptyFolder
    const { faults, warnings } = yield* examine(env)
    assert.deepStrictEqual(faults, [])
    assert.match(warnings[0]?.message ?? "", /there is no data/u)
    assert.throws(() => statSync(env.DATA_DIR))
  })

  it.live.each([
    ["a setting that cannot be read", { LOG_LEVEL: "loud" }, "LOG_LEVEL"],
    ["a proxy that is not an address", { TRUSTED_PROXIES: "proxy" }, "TRUSTED_PROXIES"],
    ["an invalid address block", { EGRESS_ALLOW_CIDRS: "10.0.0.0/99" }, "EGRESS_ALLOW_CIDRS"],
    ["an unknown gateway", { BANK_GATEWAYS: "moon" }, "BANK_GATEWAYS"],
    ["an unknown role", { ROLES: "http,cook" }, "ROLES"],
    ["a burst of zero", { RATE_LIMIT_BURST: "0" }, "RATE_LIMIT_BURST"],
    ["a master key that is too short", { MASTER_KEY: "c2hvcnQ=" }, "MASTER_KEY"]
  ] as ReadonlyArray<readonly [string, Env, string]>)("finds %s", function* ([, env, message]) {
    const { faults } = yield* examine({ ...(yield* emptyFolder), ...env })
    assert.lengthOf(faults, 1)
    assert.include(faults[0]?.message, message)
  })

  it.live.each(
    [
      ["0.0.0.0", "true", { isRefused: false, isWarned: true }],
      ["0.0.0.0", "false", { isRefused: true, isWarned: false }],
      ["127.0.0.1", "false", { isRefused: false, isWarned: false }]
    ] as const
  )(
    "checks the exposure of the sandbox bank on %s with ALLOW_SANDBOX=%s",
    function* ([HOST, ALLOW_SANDBOX, { isRefused, isWarned }]) {
      const { faults, warnings } = yield* examine({ ...(yield* emptyFolder), HOST, ALLOW_SANDBOX })
      assert.strictEqual(faults.some(({ message }) => message.includes("sandbox bank")), isRefused)
      assert.strictEqual(warnings.some(({ about }) => about === "gateways"), isWarned)
    }
  )

  it.live.each([
    [{ HOST: "0.0.0.0" }, 1],
    [{ HOST: "0.0.0.0", ADMIN_PORT: "9090" }, 0],
    [{ HOST: "127.0.0.1" }, 0]
  ] as ReadonlyArray<readonly [Env, number]>)(
    "checks whether other machines can try tokens of operators, also without ADMIN_TOKEN: %o",
    function* ([env, count]) {
      const { warnings } = yield* examine({ ...(yield* emptyFolder), ...env })
      assert.lengthOf(warnings.filter(({ about }) => about === "admin API"), count)
    }
  )

  it.live("refuses ADMIN_HOST without ADMIN_PORT", function* () {
    const { faults } = yield* examine({ ...(yield* emptyFolder), ADMIN_HOST: "127.0.0.1" })
    assert.lengthOf(faults, 1)
    assert.include(faults[0]?.message, "ADMIN_PORT")
  })

  it.live("finds a master key that other users can read", function* () {
    const env = yield* givenService
    chmodSync(join(env.DATA_DIR, "master.key"), 0o644)
    const { faults } = yield* examine(env)
    assert.lengthOf(faults, 1)
    assert.include(faults[0]?.advice, "chmod 600")
  })

  it.live("finds a missing master key and the master key of another log", function* () {
    const env = yield* givenService
    const file = join(env.DATA_DIR, "master.key")
    rmSync(file)
    assert.match((yield* examine(env)).faults[0]?.message ?? "", /is missing/u)
    writeFileSync(file, Buffer.alloc(32, 7).toString("base64"), { mode: 0o600 })
    const { faults } = yield* examine(env)
    assert.lengthOf(faults, 1)
    assert.include(faults[0]?.message, "it is another key")
  })

  it.live("finds read models that are ahead of a restored log", function* () {
    const env = yield* givenService
    const backup = `${eventsFile(env.DATA_DIR)}.backup`
    execute(eventsFile(env.DATA_DIR), `VACUUM INTO '${backup}'`)
    yield* runJson(["service", "create", "--name", "After the backup"], env)
    for (const suffix of ["", "-wal", "-shm"]) rmSync(eventsFile(env.DATA_DIR) + suffix, { force: true })
    renameSync(backup, eventsFile(env.DATA_DIR))

    const { faults } = yield* examine(env)
    assert.isNotEmpty(faults)
    for (const { about, advice, message } of faults) {
      assert.strictEqual(about, "read models")
      assert.include(message, "ahead of the log")
      assert.include(advice, "sliptrail projections rebuild")
    }
    for (const name of ["branches", "quota", "duplicates"]) yield* runJson(["projections", "rebuild", name], env)
    assert.deepStrictEqual((yield* examine(env)).faults, [])
  })

  it.live("warns about damaged read models, which are rebuilt", function* () {
    const env = yield* givenService
    writeFileSync(modelsFile(env.DATA_DIR), "SQLite format 3\u0000 and then nothing that makes sense".repeat(50))
    for (const suffix of ["-wal", "-shm"]) rmSync(modelsFile(env.DATA_DIR) + suffix, { force: true })
    const { faults, warnings } = yield* examine(env)
    assert.deepStrictEqual(faults, [])
    assert.match(warnings.map(({ advice }) => advice).join("\n"), /nothing is lost/u)
  })

  it.live("finds a file that is not a log, and a log of a newer version", function* () {
    const env = yield* givenService
    const file = eventsFile(env.DATA_DIR)
    copyFileSync(file, `${file}.kept`)
    execute(file, "UPDATE meta SET value = '99' WHERE key = 'format'")
    assert.match((yield* examine(env)).faults[0]?.message ?? "", /format 99/u)
    for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true })
    writeFileSync(file, "no database at all".repeat(100))
    assert.match((yield* examine(env)).faults[0]?.message ?? "", /cannot be read/u)
  })

  it.live("finds a damaged index of the log, which a replay does not read", function* () {
    const env = yield* givenService
    const file = eventsFile(env.DATA_DIR)
    execute(file, "PRAGMA wal_checkpoint(TRUNCATE)")
    const at = lastByteOf(file, "events_by_stream")
    const bytes = readFileSync(file)
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0x40, at)
    writeFileSync(file, bytes)
    const { faults } = yield* examine(env)
    assert.deepStrictEqual(faults.map(({ about }) => about), ["event log"])
    assert.match(faults[0]?.message ?? "", /is damaged: .*events_by_stream/u)

    execute(file, "REINDEX")
    assert.deepStrictEqual((yield* examine(env)).faults, [])
  })

  it.live("finds a clock that is behind the newest event", function* () {
    const env = yield* givenService
    execute(eventsFile(env.DATA_DIR), "UPDATE events SET recorded_at = recorded_at + 86400000")
    const { faults } = yield* examine(env)
    assert.deepStrictEqual(faults.map(({ about }) => about), ["clock"])
  })
})
