import { assert, describe, it } from "../../../support/it.ts"
import { Effect, Result } from "effect"
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { isHeld, unfinishedRestoreFile } from "../../../../infrastructure/runtime/data-folder.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { run } from "../../../support/in-process.ts"
import { contentOf, fillLog, start, type Started } from "./given-backup.ts"

/** Large enough that a copy takes many steps. */
const MEBIBYTES = 32
const STEP = 8 * 1024 ** 2

/** The status of a file, or undefined if it does not exist any more. */
const statOf = (path: string) => statSync(path, { throwIfNoEntry: false })

const sizeOf = (file: string): number => statOf(file)?.size ?? 0

/** Sends the signal when the condition is true, unless the process has ended before. Returns how the process ended. */
const signalOnce = (condition: () => boolean, name: "SIGTERM" | "SIGKILL") => ({ ended, signal }: Started) =>
  Effect.promise(async () => {
    let hasEnded = false
    void ended.then(() => {
      hasEnded = true
    })
    // Polls every millisecond, because the condition may be true only briefly.
    while (!hasEnded && !condition()) await new Promise((resolve) => setTimeout(resolve, 1))
    const wasInTime = !hasEnded
    signal(name)
    return { ...(await ended), wasInTime }
  })

const given = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const dataDir = join(folder, "data")
  fillLog(join(dataDir, "events.db"), MEBIBYTES)
  return { folder, dataDir, env: { DATA_DIR: dataDir } }
})

/** The drafts of unfinished backups in a folder. */
const draftsIn = (folder: string) => readdirSync(folder).filter((name) => name !== "data" && name !== "copies")

describe("a backup that is killed", () => {
  it.live("leaves no file under its name, and no partial file that looks like a backup", function* () {
    const { env, folder } = yield* given
    const copies = join(folder, "copies")
    mkdirSync(copies)
    const inDraft = (name: string) => draftsIn(copies).map((draft) => join(copies, draft, name))
    const moments: ReadonlyArray<readonly [name: string, condition: () => boolean]> = [
      ["copy", () => draftsIn(copies).length > 0],
      ["copy", () => inDraft("events.db").some((file) => sizeOf(file) > 2 * STEP)],
      ["copy", () => inDraft("manifest.json").some((file) => existsSync(file))],
      ["copy.tar", () => draftsIn(copies).some((draft) => statOf(join(copies, draft))?.isFile() === true)]
    ]
    for (const [name, condition] of moments) {
      const out = join(copies, name)
      const backup = yield* start(["backup", "--out", out], env)
      const { code, wasInTime } = yield* signalOnce(condition, "SIGKILL")(backup)
      assert.deepStrictEqual({ code, wasInTime }, { code: null, wasInTime: true }, condition.toString())

      assert.isFalse(existsSync(out), condition.toString())
      const left = draftsIn(copies)
      assert.lengthOf(left.filter((draft) => !/^\.copy.*\.partial-[\da-f-]{36}$/u.test(draft)), 0, left.join())
      assert.strictEqual((yield* run(["backup", "check", out])).code, 2)
      for (const draft of left) {
        const { code, stderr } = yield* run(["backup", "check", join(copies, draft)])
        if (code !== 0) assert.match(stderr, /is not a backup|is damaged/u, draft)
      }
      for (const draft of left) rmSync(join(copies, draft), { recursive: true })
    }
    const again = yield* start(["backup", "--out", join(copies, "copy")], env)
    assert.strictEqual((yield* Effect.promise(() => again.ended)).code, 0)
    assert.strictEqual((yield* run(["backup", "check", join(copies, "copy")])).code, 0)
  })

  it.live("keeps the backup that it should replace", function* () {
    const { dataDir, env, folder } = yield* given
    const out = join(folder, "copy")
    const first = yield* start(["backup", "--out", out], env)
    assert.strictEqual((yield* Effect.promise(() => first.ended)).code, 0)
    const second = yield* start(["backup", "--out", out, "--force"], env)
    const drafts = () => draftsIn(folder).filter((name) => name !== "copy")
    const isCopying = () => drafts().some((draft) => sizeOf(join(folder, draft, "events.db")) > STEP)
    assert.isTrue((yield* signalOnce(isCopying, "SIGKILL")(second)).wasInTime)
    assert.deepStrictEqual(contentOf(out), contentOf(dataDir))
    assert.strictEqual((yield* run(["backup", "check", out])).code, 0)
  })

  it.live("deletes its draft when it is interrupted", function* () {
    const { env, folder } = yield* given
    const backup = yield* start(["backup", "--out", join(folder, "copy")], env)
    const isCopying = () => draftsIn(folder).some((draft) => sizeOf(join(folder, draft, "events.db")) > STEP)
    const { code, stderr, wasInTime } = yield* signalOnce(isCopying, "SIGTERM")(backup)
    assert.deepStrictEqual({ code, wasInTime }, { code: 2, wasInTime: true })
    assert.include(stderr, "stopped before it was finished")
    assert.deepStrictEqual(readdirSync(folder), ["data"])
  })
})

describe("a restore that is killed", () => {
  it.live("leaves the old data, the new data or a folder that only another restore accepts, and loses nothing", function* () {
    const { dataDir, env, folder } = yield* given
    const copy = join(folder, "copies")
    const backup = yield* start(["backup", "--out", copy], env)
    assert.strictEqual((yield* Effect.promise(() => backup.ended)).code, 0)
    const [mark, file] = [unfinishedRestoreFile(dataDir), join(dataDir, "events.db")]
    const old = statOf(file)?.ino
    const partial = join(dataDir, "restore.partial")
    const moments: ReadonlyArray<() => boolean> = [
      () => existsSync(partial),
      () => sizeOf(join(partial, "events.db")) > STEP,
      () => sizeOf(join(partial, "events.db")) > (MEBIBYTES - 1) * 1024 ** 2,
      () => existsSync(mark) || statOf(file)?.ino !== old
    ]
    for (const condition of moments) {
      const before = contentOf(dataDir)
      // Deletes the partial restore of the previous round, which would satisfy the condition too early.
      rmSync(partial, { recursive: true, force: true })
      const restore = yield* start(["restore", "--from", copy, "--force"], env)
      yield* signalOnce(condition, "SIGKILL")(restore)
      // Every command and the service run this check before they open a folder.
      const usable = yield* Effect.result(isHeld(dataDir))
      if (existsSync(mark)) {
        assert.isTrue(usable._tag === "Failure" && usable.failure.message.includes("is half restored"))
      } else {
        assert.deepStrictEqual(usable, Result.succeed(false))
        assert.deepStrictEqual(contentOf(dataDir), before)
      }
    }
    const again = yield* start(["restore", "--from", copy, "--force"], env)
    const { code, stderr } = yield* Effect.promise(() => again.ended)
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual(contentOf(dataDir), contentOf(copy))
    const asides = readdirSync(dataDir).filter((name) => name.startsWith("before-restore-"))
    const inodes = asides.map((name) => statOf(join(dataDir, name, "events.db"))?.ino)
    assert.include(inodes, old, "the old log was moved aside")
    assert.isFalse(existsSync(mark) || existsSync(partial))
  })
})
