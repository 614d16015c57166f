import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { requireProgram } from "../../../support/require-program.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { run, runJson } from "../../../support/in-process.ts"
import { contentOf, fillLog, givenData, start } from "./given-backup.ts"

const sha256 = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex")

/** The permission bits of a file or folder. */
const mode = (path: string): number => statSync(path).mode & 0o777

describe("sliptrail backup", () => {
  it.live("writes a folder with the log and a manifest", function* () {
    const { at, dataDir, env } = yield* givenData
    const report = yield* runJson(["backup", "--out", at("copy")], env)
    const { path, tookMillis, ...manifest } = report

    assert.strictEqual(path, at("copy"))
    assert.isAtLeast(tookMillis, 0)
    assert.deepStrictEqual(manifest, JSON.parse(readFileSync(at("copy/manifest.json"), "utf8")))
    const { events } = contentOf(dataDir)
    const head = `${events.length}/${events.length}`
    assert.deepInclude(manifest, { format: 1, log: { format: 1, events: events.length, head } })
    assert.strictEqual(manifest.sliptrail, JSON.parse(readFileSync("package.json", "utf8")).version)
    assert.closeTo(Date.parse(manifest.createdAt), Date.now(), 60_000)
    assert.match(manifest.keys.master, /^m-[0-9a-f]{8}$/u)
    assert.match(manifest.keys.slips, /^s-[0-9a-f]{8}$/u)

    const names = manifest.files.map(({ name }: { readonly name: string }) => name)
    assert.sameMembers(readdirSync(at("copy")), [...names, "manifest.json"])
    for (const { bytes, name, sha256: digest } of manifest.files) {
      const file = join(at("copy"), name)
      assert.deepStrictEqual({ bytes: statSync(file).size, digest: sha256(file) }, { bytes, digest })
      assert.strictEqual(mode(file), 0o600)
    }
    assert.strictEqual(mode(at("copy")), 0o700)
    assert.deepStrictEqual(contentOf(at("copy")), contentOf(dataDir))
  })

  it.live("omits read models, includes secret keys only with --with-keys, and prints a note about the keys", function* () {
    const { at, dataDir, env } = yield* givenData
    for (const name of ["signing.key", "signing.pub"]) writeFileSync(join(dataDir, name), `the ${name}\n`)
    writeFileSync(join(dataDir, "checkpoints.ndjson"), '{"number":1}\n{"number":2}\n{"num')

    const without = yield* run(["backup", "--out", at("without")], env)
    const withKeys = yield* run(["backup", "--out", at("with"), "--with-keys"], env)

    assert.isTrue(existsSync(join(dataDir, "models.db")))
    const open = ["checkpoints.ndjson", "events.db", "manifest.json", "signing.pub"]
    const secret = ["master.key", "signing.key", "subjects.key"]
    assert.sameMembers(readdirSync(at("without")), open)
    assert.sameMembers(readdirSync(at("with")), [...open, ...secret])
    for (const name of ["signing.pub", ...secret]) {
      assert.deepStrictEqual(readFileSync(join(at("with"), name)), readFileSync(join(dataDir, name)))
    }
    // The service may be writing a line, so the last line is incomplete.
    const lines = readFileSync(join(at("with"), "checkpoints.ndjson"), "utf8")
    assert.strictEqual(lines, '{"number":1}\n{"number":2}\n')

    const { keys: { master, slips } } = JSON.parse(readFileSync(at("without/manifest.json"), "utf8"))
    assert.include(without.stderr, `Without its keys ${master} ${slips} it cannot be used`)
    assert.match(without.stdout, /^keys +m-[0-9a-f]{8}, s-[0-9a-f]{8}, not included$/mu)
    assert.include(withKeys.stderr, `contains its keys ${master} ${slips}: with it, all data can be read`)
    assert.match(withKeys.stdout, /^keys +m-[0-9a-f]{8}, s-[0-9a-f]{8}, included$/mu)
  })

  it.live("writes one archive that tar unpacks, compressed according to its name", function* () {
    const { at, dataDir, env } = yield* givenData
    for (const name of ["copy.tar", "copy.tar.gz", "copy.tgz"]) {
      const { files } = yield* runJson(["backup", "--out", at(name), "--with-keys"], env)
      assert.strictEqual(mode(at(name)), 0o600)
      assert.strictEqual((yield* run(["backup", "check", at(name)])).code, 0)
      const isGzip = readFileSync(at(name)).subarray(0, 2).equals(Buffer.from([0x1f, 0x8b]))
      assert.strictEqual(isGzip, name.endsWith("gz"))

      const unpacked = at(`unpacked ${name}`)
      mkdirSync(unpacked)
      const tar = spawnSync(requireProgram("tar"), ["xf", at(name), "-C", unpacked], { encoding: "utf8" })
      assert.strictEqual(tar.status, 0, tar.stderr)
      assert.lengthOf(readdirSync(unpacked), files.length + 1)
      assert.deepStrictEqual(contentOf(unpacked), contentOf(dataDir))
      assert.strictEqual((yield* run(["backup", "check", unpacked])).code, 0)
    }
  })

  it.live("includes the keys of the settings", function* () {
    const { at, dataDir, env } = yield* givenData
    const key = readFileSync(join(dataDir, "master.key"), "utf8")
    rmSync(join(dataDir, "master.key"))

    const nowhere = yield* run(["backup", "--out", at("copy"), "--with-keys"], env)
    assert.deepInclude(nowhere, { code: 2, stdout: "" })
    assert.include(nowhere.stderr, "there is no master key")
    assert.strictEqual((yield* run(["backup", "--out", at("without")], env)).code, 0)

    yield* runJson(["backup", "--out", at("copy"), "--with-keys"], { ...env, MASTER_KEY: key.trim() })
    assert.strictEqual(readFileSync(at("copy/master.key"), "utf8"), key)
  })

  it.live("warns about keys of another log, and does not include them", function* () {
    const { at, env, folder } = yield* givenData
    const foreign = { ...env, MASTER_KEY: Buffer.alloc(32, 7).toString("base64") }

    const without = yield* run(["backup", "--out", at("without")], foreign)
    assert.strictEqual(without.code, 0)
    assert.include(without.stderr, "The keys of this installation do not open this log: find the keys that do.")
    const withKeys = yield* run(["backup", "--out", at("with"), "--with-keys"], foreign)
    assert.strictEqual(withKeys.code, 1)
    assert.include(withKeys.stderr, "its keys do not open the sealed data of its log")
    assert.sameMembers(readdirSync(folder), ["data", "without"])
  })

  it.live("replaces a backup with --force, and nothing else", function* () {
    const { at, env, folder } = yield* givenData
    mkdirSync(at("empty"))
    mkdirSync(at("photos"))
    writeFileSync(at("photos/manifest.json"), "{}")
    writeFileSync(at("photos/holiday.jpg"), "")
    writeFileSync(at("file"), "")
    mkdirSync(at("folder.tar"))
    const backup = (name: string, ...flags: ReadonlyArray<string>) => run(["backup", "--out", at(name), ...flags], env)

    for (const name of ["empty", "copy.tar"]) {
      assert.strictEqual((yield* backup(name)).code, 0)
      const before = readFileSync(name === "empty" ? at("empty/manifest.json") : at(name))
      const refused = yield* backup(name)
      assert.deepInclude(refused, { code: 2, stdout: "" })
      assert.include(refused.stderr, "exists: choose another name, or replace it with --force")
      assert.strictEqual((yield* backup(name, "--force")).code, 0)
      assert.notDeepEqual(readFileSync(name === "empty" ? at("empty/manifest.json") : at(name)), before)
    }
    for (const name of ["photos", "file", "folder.tar"]) {
      assert.strictEqual((yield* backup(name, "--force")).code, 2, name)
    }
    assert.sameMembers(readdirSync(folder), ["data", "empty", "copy.tar", "photos", "file", "folder.tar"])
    assert.lengthOf(readdirSync(at("photos")), 2)
  })

  it.live("explains an unusable target", function* () {
    const { at, env, folder } = yield* givenData
    const backup = (out: string) => run(["backup", "--out", out], env)
    assert.include((yield* backup(at("data/copy"))).stderr, "is in the data folder")
    assert.include((yield* backup(at("nowhere/copy"))).stderr, "the file or folder does not exist")
    writeFileSync(at("file"), "")
    assert.include((yield* backup(at("file/copy"))).stderr, "a part of the path is a file, not a folder")
    assert.strictEqual((yield* backup(at("nowhere/copy"))).code, 2)
    assert.strictEqual((yield* run(["backup"], env)).code, 2)
    assert.sameMembers(readdirSync(folder), ["data", "file"])
  })

  it.live("fails without a log in a data folder", function* () {
    const folder = yield* temporaryFolder
    const out = join(folder, "copy")
    const none = yield* run(["backup", "--out", out], { DATA_DIR: join(folder, "data") })
    assert.strictEqual(none.code, 2)
    assert.include(none.stderr, "there is no data in")
    const onServer = yield* run(["backup", "--out", out], { EVENTSTORE_URL: "esdb://127.0.0.1:1", DATA_DIR: folder })
    assert.strictEqual(onServer.code, 2)
    assert.include(onServer.stderr, "docs/backup.md")
    assert.deepStrictEqual(readdirSync(folder), [])
  })

  it.live("writes no backup of a damaged log", function* () {
    const { at, dataDir, env, folder } = yield* givenData
    const file = join(dataDir, "events.db")
    const bytes = readFileSync(file)
    // Damages a page of an index.
    bytes.fill(0xff, 5 * 4096 + 8, 5 * 4096 + 64)
    writeFileSync(file, bytes)
    const { code, stderr } = yield* run(["backup", "--out", at("copy")], env)
    assert.strictEqual(code, 1, stderr)
    assert.match(stderr, /is damaged and was deleted: events\.db is damaged/u)
    assert.deepStrictEqual(readdirSync(folder), ["data"])
  })

  it.live("leaves no files when the disk is full", function* () {
    const folder = yield* temporaryFolder
    const dataDir = join(folder, "data")
    fillLog(join(dataDir, "events.db"), 4)
    // Simulates a full disk with a limit on the file size, in blocks of 512 bytes.
    const limit = ["sh", "-c", "trap '' XFSZ; ulimit -f 4000; exec \"$@\"", "sh"]
    const { ended } = yield* start(["backup", "--out", join(folder, "copy")], { DATA_DIR: dataDir }, limit)
    const limited = yield* Effect.promise(() => ended)
    assert.deepInclude(limited, { code: 2, stdout: "" })
    assert.match(limited.stderr, /^sliptrail: .*cannot be copied to .*: .* the file is too large for it/u)
    assert.deepStrictEqual(readdirSync(folder), ["data"])
  })

  it.live("reports the files that a killed backup has left", function* () {
    const { at, env } = yield* givenData
    const left = at(".older.partial-5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d")
    mkdirSync(left)
    const { code, stderr } = yield* run(["backup", "--out", at("copy")], env)
    assert.strictEqual(code, 0)
    assert.include(stderr, `have left ${left}: delete it`)
    assert.isTrue(existsSync(left), dirname(left))
  })
})
