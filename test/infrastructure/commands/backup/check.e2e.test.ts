import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { DatabaseSync } from "node:sqlite"
import { digestOfFile } from "../../../../infrastructure/commands/backup/files.ts"
import { openBackup } from "../../../../infrastructure/commands/backup/source.ts"
import { type Entry, pack } from "../../../../infrastructure/commands/backup/tar.ts"
import { run, runJson } from "../../../support/in-process.ts"
import { givenData } from "./given-backup.ts"

/** Writes undamaged backups with keys: the folder `copy` and these names. `copyOf` copies one, so that a test can damage it. */
const givenBackup = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  const { at, env } = yield* givenData
  for (const name of ["copy", ...names]) yield* runJson(["backup", "--out", at(name), "--with-keys"], env)
  let copies = 0
  const copyOf = (name: string): string => {
    const path = join(dirname(at("copy")), `${++copies} ${name}`)
    cpSync(at(name), path, { recursive: true })
    return path
  }
  return { at, copyOf }
})

const check = (path: string) => run(["backup", "check", path])

/** Flips one bit of a file. */
const flip = (file: string, at: number): void => {
  const bytes = readFileSync(file)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

type Json = Record<string, unknown>

const rewriteManifest = (folder: string, change: (manifest: Json) => Json): void => {
  const file = join(folder, "manifest.json")
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, "utf8")))))
}

/** Writes the current digest of a file into the manifest, as an attacker would do after changing the file. */
const updateDigest = Effect.fnUntraced(function* (folder: string, name: string) {
  const digest = yield* Effect.promise((signal) => digestOfFile(join(folder, name), signal))
  rewriteManifest(folder, ({ files, ...manifest }) => ({
    ...manifest,
    files: (files as ReadonlyArray<Json>).map((file) => file["name"] === name ? { name, ...digest } : file)
  }))
})

describe("sliptrail backup check", () => {
  it.live("accepts an undamaged backup and prints its contents", function* () {
    const { at } = yield* givenBackup("copy.tar", "copy.tgz")
    for (const name of ["copy", "copy.tar", "copy.tgz"]) {
      const report = yield* runJson(["backup", "check", at(name)])
      assert.deepInclude(report, { isSound: true, path: at(name), faults: [], format: 1 })
      assert.match((yield* check(at(name))).stdout, /^The backup is complete and undamaged/mu)
    }
  })

  it.live("finds any changed byte in a folder", function* () {
    const { copyOf } = yield* givenBackup()
    const broken: ReadonlyArray<readonly [expected: RegExp, damage: (folder: string) => void]> = [
      [/events\.db was changed: its SHA-256/u, (folder) => flip(join(folder, "events.db"), 12_345)],
      [/events\.db has 4096 bytes instead of \d+/u, (folder) => truncateSync(join(folder, "events.db"), 4096)],
      [/master\.key has 46 bytes instead of 45/u, (folder) => appendFileSync(join(folder, "master.key"), "\n")],
      [/events\.db is missing/u, (folder) => rmSync(join(folder, "events.db"))],
      [/manifest\.json is not a manifest of a backup/u, (folder) => truncateSync(join(folder, "manifest.json"), 50)],
      [
        /manifest\.json is not a manifest of a backup/u,
        (folder) =>
          rewriteManifest(folder, (manifest) => ({ ...manifest, files: [{ name: "../x", bytes: 0, sha256: "" }] }))
      ],
      [
        /manifest\.json does not list events\.db/u,
        (folder) => rewriteManifest(folder, (manifest) => ({ ...manifest, files: [] }))
      ]
    ]
    for (const [expected, damage] of broken) {
      const folder = copyOf("copy")
      damage(folder)
      const { code, stderr } = yield* check(folder)
      assert.strictEqual(code, 1, stderr)
      assert.match(stderr, expected)
      assert.match(stderr, /is damaged/u)
    }
  })

  it.live("refuses a manifest with a duplicate file or with text that is unsafe to print", function* () {
    const { copyOf } = yield* givenBackup()
    const files = (manifest: Json): ReadonlyArray<Json> => manifest["files"] as ReadonlyArray<Json>
    const broken: ReadonlyArray<readonly [expected: RegExp, change: (manifest: Json) => Json]> = [
      [
        /manifest\.json lists events\.db twice/u,
        (manifest) => ({ ...manifest, files: [...files(manifest), files(manifest)[0]] })
      ],
      [
        /manifest\.json is not a manifest of a backup/u,
        (manifest) => ({ ...manifest, createdAt: "\u001b[2Jyesterday" })
      ],
      [
        /manifest\.json is not a manifest of a backup/u,
        (manifest) => ({ ...manifest, sliptrail: "\u001b[2J", format: 2 })
      ],
      [
        /manifest\.json is not a manifest of a backup/u,
        (manifest) => ({ ...manifest, keys: { master: "\u001b[2J", slips: null } })
      ]
    ]
    for (const [expected, change] of broken) {
      const folder = copyOf("copy")
      rewriteManifest(folder, change)
      const { code, stderr, stdout } = yield* check(folder)
      assert.strictEqual(code, 1, stderr)
      assert.match(stderr, expected)
      assert.notInclude(`${stdout}${stderr}`, "\u001b")
    }
  })

  it.live("refuses an archive with a duplicate file, an unlisted file or a file that is too large", function* () {
    const { at } = yield* givenBackup()
    const dataFiles = ["events.db", "master.key", "subjects.key"]
    const withEntries = (name: string, entries: ReadonlyArray<readonly [name: string, content: Uint8Array]>) =>
      Effect.promise(async () => {
        const all = entries.map(([name, content]): Entry => ({
          name,
          bytes: content.length,
          chunks: Readable.from([content])
        }))
        writeFileSync(at(name), await buffer(Readable.from(pack(Readable.from(all), 0))))
        return at(name)
      })
    const content = (name: string) => [name, readFileSync(join(at("copy"), name))] as const
    const twice = yield* withEntries("twice.tar", ["manifest.json", ...dataFiles, "events.db"].map(content))
    assert.deepInclude(yield* check(twice), { code: 1 })
    assert.match((yield* check(twice)).stderr, /is damaged: it contains events\.db twice/u)
    const more = yield* withEntries("more.tar", [...["manifest.json", ...dataFiles].map(content), [
      "checkpoints.ndjson",
      Buffer.from("x")
    ]])
    assert.match(
      (yield* check(more)).stderr,
      /it contains checkpoints\.ndjson, which its manifest\.json does not list/u
    )
    const bomb = yield* withEntries("bomb.tar", [content("manifest.json"), ["events.db", Buffer.alloc(20_000_000)]])
    assert.match((yield* check(bomb)).stderr, /events\.db has 20000000 bytes instead of \d+/u)
  })

  it.live("checks the log, its head and its keys when the manifest was changed to match", function* () {
    const { copyOf } = yield* givenBackup()
    const shorter = copyOf("copy")
    const log = new DatabaseSync(join(shorter, "events.db"))
    log.exec("DELETE FROM events WHERE position = (SELECT max(position) FROM events)")
    log.close()
    yield* updateDigest(shorter, "events.db")
    assert.match((yield* check(shorter)).stderr, /events\.db has 6 events up to 6\/6 instead of 7 up to 7\/7/u)

    const damaged = copyOf("copy")
    const bytes = readFileSync(join(damaged, "events.db"))
    bytes.fill(0xff, 5 * 4096 + 8, 5 * 4096 + 64)
    writeFileSync(join(damaged, "events.db"), bytes)
    yield* updateDigest(damaged, "events.db")
    assert.match((yield* check(damaged)).stderr, /events\.db is damaged/u)

    const otherKey = copyOf("copy")
    writeFileSync(join(otherKey, "master.key"), `${Buffer.alloc(32, 7).toString("base64")}\n`)
    yield* updateDigest(otherKey, "master.key")
    const { code, stdout } = yield* run(["backup", "check", otherKey, "--json"])
    assert.strictEqual(code, 1)
    assert.deepInclude(JSON.parse(stdout), {
      isSound: false,
      faults: ["its keys do not open the sealed data of its log"]
    })
  })

  it.live("finds any damage of an archive", function* () {
    const { at, copyOf } = yield* givenBackup("copy.tar", "copy.tgz")
    const size = readFileSync(at("copy.tar")).length
    const broken: ReadonlyArray<readonly [name: string, expected: RegExp, damage: (file: string) => void]> = [
      ["copy.tar", /events\.db was changed/u, (file) => flip(file, 10_000)],
      ["copy.tar", /is not an archive that sliptrail backup wrote/u, (file) => flip(file, 30)],
      ["copy.tar", /it ends too early/u, (file) => truncateSync(file, size - 1024)],
      ["copy.tar", /it ends too early/u, (file) => truncateSync(file, 20_000)],
      ["copy.tgz", /it cannot be decompressed|ends too early/u, (file) => truncateSync(file, 2_000)],
      ["copy.tgz", /it cannot be decompressed/u, (file) => flip(file, readFileSync(file).length - 5)]
    ]
    for (const [name, expected, damage] of broken) {
      const file = copyOf(name)
      damage(file)
      const { code, stderr } = yield* check(file)
      assert.strictEqual(code, 1, stderr)
      assert.match(stderr, expected)
    }
  })

  it.live("refuses paths that are not a backup, and backups of newer versions", function* () {
    const { at, copyOf } = yield* givenBackup()
    mkdirSync(at("other"))
    writeFileSync(at("other/manifest.json"), '{"name":"an app"}')
    copyFileSync(at("copy/events.db"), at("events.db"))
    mkdirSync(at("empty"))
    assert.deepInclude(yield* check(at("nowhere")), { code: 2, stdout: "" })
    assert.match((yield* check(at("empty"))).stderr, /is not a backup: it contains no manifest\.json/u)
    assert.strictEqual((yield* check(at("empty"))).code, 2)
    assert.strictEqual((yield* check(at("other"))).code, 1)
    assert.strictEqual((yield* check(at("events.db"))).code, 1)

    const ofLog = copyOf("copy")
    const newer = { sliptrail: "9.1.0", log: { format: 2, head: "7/7", events: 7 } }
    rewriteManifest(ofLog, (manifest) => ({ ...manifest, ...newer }))
    const ofFormat = copyOf("copy")
    rewriteManifest(ofFormat, () => ({ format: 2, sliptrail: "9.1.0", everything: "else" }))
    for (const folder of [ofLog, ofFormat]) {
      const { code, stderr } = yield* check(folder)
      assert.strictEqual(code, 2)
      assert.match(stderr, /was written by SlipTrail 9\.1\.0, which is newer/u)
    }
  })

  it.live("refuses unknown file names in an archive", function* () {
    const { at } = yield* givenBackup("copy.tar")
    const bytes = readFileSync(at("copy.tar"))
    // Changes the name of the second file and corrects the checksum of its header.
    const start = bytes.indexOf("events.db\u0000")
    const header = bytes.subarray(start, start + 512)
    header.write("../evil.d", 0)
    header.fill(0x20, 148, 156)
    const sum = header.reduce((sum, byte) => sum + byte, 0)
    header.write(`${sum.toString(8).padStart(6, "0")}\u0000 `, 148)
    writeFileSync(at("evil.tar"), bytes)
    const { code, stderr } = yield* check(at("evil.tar"))
    assert.strictEqual(code, 1)
    assert.include(stderr, 'it contains "../evil.d", which is not part of a backup')
    assert.strictEqual((yield* Effect.exit(openBackup(at("evil.tar"))))._tag, "Success", "only its manifest was read")
  })
})
