import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { holdDataFolder, unfinishedRestoreFile } from "../../../../infrastructure/runtime/data-folder.ts"
import { masterKeyOfFolder } from "../../../../infrastructure/adapters/keys/master-key.ts"
import { openSubjectKeys } from "../../../../infrastructure/adapters/keys/subject-keys.ts"
import { run, runJson } from "../../../support/in-process.ts"
import { contentOf, givenData } from "./given-backup.ts"

/** A data folder and a backup of it, with or without its keys. */
const givenBackup = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
  const data = yield* givenData
  yield* runJson(["backup", "--out", data.at("copy"), ...flags], data.env)
  const restore = (into: string, ...more: ReadonlyArray<string>) =>
    run(["restore", "--from", data.at("copy"), "--data-dir", data.at(into), ...more])
  return { ...data, restore }
})

/** The id of a subject key. */
const ERASED_KEY = "0123456789abcdef"

const servicesIn = (dataDir: string) => runJson(["service", "list"], { DATA_DIR: dataDir })

/** The files of a data folder without the lock. */
const filesIn = (folder: string) => readdirSync(folder).filter((name) => !name.startsWith("lock.db"))

describe("sliptrail restore", () => {
  it.live("restores all events and keys, and prints the next steps", function* () {
    const { at, dataDir, env, restore } = yield* givenBackup("--with-keys")
    const { code, stdout } = yield* restore("new")
    assert.strictEqual(code, 0)
    assert.match(
      stdout,
      /Next steps:\n {2}1\. Erase the slips again that were erased .*\n {2}2\. Start the service on .*new\)/u
    )
    assert.match(stdout, /events after 2\d{3}-.*Z are lost/u)

    assert.deepStrictEqual(contentOf(at("new")), contentOf(dataDir))
    assert.deepStrictEqual(readFileSync(at("new/master.key")), readFileSync(join(dataDir, "master.key")))
    assert.sameMembers(filesIn(at("new")), ["events.db", "master.key", "subjects.key"])
    for (const name of filesIn(at("new"))) assert.strictEqual(statSync(at(`new/${name}`)).mode & 0o777, 0o600)
    assert.deepStrictEqual(yield* servicesIn(at("new")), yield* servicesIn(dataDir))
    assert.strictEqual((yield* run(["projections", "compare", "branches"], { DATA_DIR: at("new") })).code, 0)

    const bySetting = yield* runJson(["restore", "--from", at("copy")], { DATA_DIR: at("by-setting") })
    assert.deepInclude(bySetting, { dataDir: at("by-setting"), movedTo: null, format: 1 })
    assert.isNotEmpty(bySetting.next)
    assert.strictEqual((yield* runJson(["service", "list"], env)).length, 1)
  })

  it.live("restores from an archive, compressed or not", function* () {
    const { at, dataDir, env } = yield* givenData
    for (const name of ["copy.tar", "copy.tar.gz"]) {
      yield* runJson(["backup", "--out", at(name), "--with-keys"], env)
      const { code, stderr } = yield* run(["restore", "--from", at(name), "--data-dir", at(`from ${name}`)])
      assert.strictEqual(code, 0, stderr)
      assert.deepStrictEqual(contentOf(at(`from ${name}`)), contentOf(dataDir))
    }
  })

  it.live("appends new events after the restored events", function* () {
    const { at, dataDir, restore, service } = yield* givenBackup("--with-keys")
    yield* restore("new")
    yield* runJson(["service", "ban", service.id], { DATA_DIR: at("new") })
    const [before, after] = [contentOf(dataDir).events, contentOf(at("new")).events]
    assert.deepStrictEqual(after.slice(0, before.length), before)
    assert.deepInclude(after[before.length], { type: "ServiceBanned", position: before.length + 1 })
  })

  it.live("needs the key of the log, from the backup, the setting or the folder", function* () {
    const { at, dataDir, env, restore } = yield* givenBackup()
    const key = readFileSync(join(dataDir, "master.key"), "utf8")
    const slipKeys = join(dataDir, "subjects.key")
    const other = `${Buffer.alloc(32, 7).toString("base64")}\n`

    const none = yield* restore("none")
    assert.deepInclude(none, { code: 1, stdout: "" })
    assert.match(none.stderr, /contains no keys: put its master key m-[0-9a-f]{8} into .*none\/master\.key, or set/u)
    assert.isFalse(existsSync(at("none")))

    mkdirSync(at("wrong"))
    writeFileSync(at("wrong/master.key"), other)
    const wrong = yield* restore("wrong")
    assert.strictEqual(wrong.code, 1)
    assert.match(wrong.stderr, /master\.key is m-[0-9a-f]{8}, but the backup was sealed with m-[0-9a-f]{8}/u)
    assert.deepStrictEqual(filesIn(at("wrong")), ["master.key"])

    mkdirSync(at("right"))
    writeFileSync(at("right/master.key"), key)
    const half = yield* restore("right")
    assert.strictEqual(half.code, 1)
    assert.match(half.stderr, /put its slip keys s-[0-9a-f]{8} into .*right\/subjects\.key/u)
    const elsewhere = yield* givenData
    copyFileSync(join(elsewhere.dataDir, "subjects.key"), at("right/subjects.key"))
    assert.strictEqual((yield* restore("right")).code, 1, "sealed under another master key")
    copyFileSync(slipKeys, at("right/subjects.key"))
    assert.strictEqual((yield* restore("right")).code, 0)
    assert.deepStrictEqual(yield* servicesIn(at("right")), yield* runJson(["service", "list"], env))

    const from = ["restore", "--from", at("copy"), "--data-dir"]
    const wrongSetting = yield* run([...from, at("set")], { MASTER_KEY: other.trim() })
    assert.strictEqual(wrongSetting.code, 1)
    assert.match(wrongSetting.stderr, /MASTER_KEY is m-/u)
    const set = { MASTER_KEY: key.trim(), SUBJECT_KEYS_FILE: slipKeys }
    assert.strictEqual((yield* run([...from, at("set")], set)).code, 0)
    assert.isFalse(existsSync(at("set/master.key")))
  })

  it.live("refuses a folder with data, and moves the data aside with --force", function* () {
    const { at, dataDir, restore, service } = yield* givenBackup("--with-keys")
    yield* runJson(["service", "ban", service.id], { DATA_DIR: dataDir })
    const keys = openSubjectKeys(
      join(dataDir, "subjects.key"),
      yield* masterKeyOfFolder(dataDir, { create: false }),
      { create: false }
    )
    yield* (yield* keys).destroy([ERASED_KEY])
    const before = contentOf(dataDir)
    const names = filesIn(dataDir)

    const refused = yield* restore("data")
    assert.deepInclude(refused, { code: 2, stdout: "" })
    assert.match(refused.stderr, /is not empty, it contains events\.db, .* with --force/u)
    assert.deepStrictEqual(contentOf(dataDir), before)

    const { movedTo } = yield* runJson(["restore", "--from", at("copy"), "--data-dir", dataDir, "--force"])
    assert.match(movedTo, /\/data\/before-restore-2\d{3}-[\dT.-]+Z$/u)
    assert.deepStrictEqual(contentOf(movedTo), before)
    // The current subject keys stay in place, so that erased slips stay erased.
    assert.isUndefined((yield* keys).at(ERASED_KEY))
    assert.sameMembers(readdirSync(movedTo), names.filter((name) => name !== "subjects.key"))
    assert.deepStrictEqual(contentOf(dataDir), contentOf(at("copy")))
    assert.deepInclude((yield* servicesIn(dataDir))[0], { isBanned: false })

    // The data that was moved aside does not prevent a restore.
    for (const name of filesIn(dataDir).filter((name) => !name.startsWith("before"))) rmSync(join(dataDir, name))
    assert.strictEqual((yield* restore("data")).code, 0)
    assert.isTrue(existsSync(movedTo))
  })

  it.live("leaves keys in place that the backup does not contain", function* () {
    const { dataDir, restore } = yield* givenBackup()
    writeFileSync(join(dataDir, "signing.key"), "a private key")
    const keys = ["master.key", "signing.key", "subjects.key"].map((name) => join(dataDir, name))
    const before = keys.map((file) => readFileSync(file, "utf8"))
    const { code, stderr } = yield* restore("data", "--force")
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual(keys.map((file) => readFileSync(file, "utf8")), before)
  })

  it.live("refuses a folder that a service has open, and a log on a server", function* () {
    const { at, dataDir, restore } = yield* givenBackup("--with-keys")
    const before = contentOf(dataDir)
    const held = yield* Effect.scoped(Effect.andThen(holdDataFolder(dataDir), restore("data", "--force")))
    assert.deepInclude(held, { code: 2, stdout: "" })
    assert.include(held.stderr, "is in use by a running SlipTrail")
    assert.deepStrictEqual(contentOf(dataDir), before)

    const onServer = yield* run(["restore", "--from", at("copy")], { EVENTSTORE_URL: "esdb://127.0.0.1:1" })
    assert.strictEqual(onServer.code, 2)
    assert.include(onServer.stderr, "docs/backup.md")
  })

  it.live("restores nothing from a damaged backup", function* () {
    const { at, dataDir, env, restore } = yield* givenBackup("--with-keys")
    yield* runJson(["backup", "--out", at("copy.tgz"), "--with-keys"], env)
    truncateSync(at("copy.tgz"), 2_500)
    cpSync(at("copy"), at("broken"), { recursive: true })
    truncateSync(at("broken/events.db"), 4096)
    const before = contentOf(dataDir)
    for (const name of ["copy.tgz", "broken"]) {
      for (const into of ["new", "data"]) {
        const { code, stderr } = yield* run(["restore", "--from", at(name), "--data-dir", at(into), "--force"])
        assert.strictEqual(code, 1, stderr)
        assert.match(stderr, /is damaged: .*; use another backup/u)
      }
      assert.deepStrictEqual(filesIn(at("new")), [])
      assert.deepStrictEqual(contentOf(dataDir), before)
      assert.notInclude(filesIn(dataDir).join(), "restore")
    }
    assert.strictEqual((yield* restore("new")).code, 0)
    assert.strictEqual((yield* run(["restore", "--from", at("nowhere"), "--data-dir", at("other")])).code, 2)
    assert.isFalse(existsSync(at("other")))
  })

  it.live("completes an interrupted restore, and lets no service start before", function* () {
    const { at, dataDir, restore } = yield* givenBackup("--with-keys")
    // The state after a kill between two moves: the old log was moved aside, the new one is not in place yet.
    mkdirSync(join(dataDir, "before-restore-2027-01-31T00-00-00.000Z"))
    mkdirSync(join(dataDir, "restore.partial"))
    writeFileSync(join(dataDir, "restore.partial/events.db"), "")
    writeFileSync(unfinishedRestoreFile(dataDir), "")
    rmSync(join(dataDir, "events.db"))

    for (const args of [["service", "create", "--name", "X"], ["service", "list"], ["backup", "--out", at("half")]]) {
      const { code, stderr } = yield* run(args, { DATA_DIR: dataDir })
      assert.strictEqual(code, 2)
      assert.match(stderr, /is half restored, a restore was interrupted: run it again, sliptrail restore --force/u)
    }
    assert.strictEqual((yield* restore("data", "--force")).code, 0)
    assert.deepStrictEqual(contentOf(dataDir), contentOf(at("copy")))
    assert.strictEqual((yield* servicesIn(dataDir)).length, 1)
  })
})
