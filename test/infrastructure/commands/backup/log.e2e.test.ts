import { assert, describe, it } from "../../../support/it.ts"
import { Effect } from "effect"
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { copyLog, examineLog } from "../../../../infrastructure/commands/backup/log.ts"
import { eventually } from "../../../support/eventually.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import {
  acknowledged,
  appendForever,
  faultsOf,
  startProcess
} from "../../adapters/stores/sqlite/events/appending-process.ts"
import { contentOf, fillLog } from "./given-backup.ts"

const noProgress = () => Effect.void

describe("a copy of a log", () => {
  it.live("is a consistent snapshot while another process appends to the log", function* () {
    const folder = yield* temporaryFolder
    const file = join(folder, "events.db")
    // Large enough that the copy takes many steps, with commits between them.
    fillLog(file, 48)
    const ackFile = join(folder, "said")
    const { child, ended } = startProcess(["sh", "-c", `exec "$@" > ${ackFile}`, "sh", ...appendForever(file)])
    yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
    const acks = Effect.sync(() => acknowledged(readFileSync(ackFile, "utf8").split("\n").slice(0, -1)))
    yield* eventually(Effect.sync(() => existsSync(ackFile) ? statSync(ackFile).size : 0), (size) => size > 10_000)

    for (const copy of ["copy-1.db", "copy-2.db", "copy-3.db"].map((name) => join(folder, name))) {
      const before = yield* acks
      const pages: Array<number> = []
      const onPages = Effect.fnUntraced(function* (done: number) {
        if (pages.push(done) > 1) return
        // The copy does not end before the other process has appended once more.
        const { length } = yield* acks
        yield* Effect.orDie(eventually(acks, (now) => now.length > length))
      })
      const contents = yield* copyLog(file, copy, onPages)

      assert.isAbove(pages.length, 3)
      assert.isTrue(pages.every((done, index) => done > (pages[index - 1] ?? 0)), "the copy never restarts")
      assert.deepStrictEqual(yield* examineLog(copy), { contents, faults: [] })
      assert.deepStrictEqual(
        faultsOf(copy, before),
        [],
        "complete appends only, with all that were acknowledged before the copy"
      )
    }
    child.kill("SIGKILL")
    yield* Effect.promise(() => ended)
    // The copy is complete without a write-ahead log.
    const copies = readdirSync(folder).filter((name) => name.startsWith("copy"))
    assert.sameMembers(copies, ["copy-1.db", "copy-2.db", "copy-3.db"])
  })

  it.live("contains all events of the log", function* () {
    const folder = yield* temporaryFolder
    const [dataDir, copy] = [join(folder, "data"), join(folder, "copy")]
    fillLog(join(dataDir, "events.db"), 2)
    mkdirSync(copy)
    const contents = yield* copyLog(join(dataDir, "events.db"), join(copy, "events.db"), noProgress)
    assert.deepStrictEqual(contents, { format: 1, head: 8, events: 8 })
    assert.deepStrictEqual(contentOf(copy), contentOf(dataDir))
  })
})

describe("examining a log", () => {
  it.live("reports a file that is not a log, and a damaged log", function* () {
    const folder = yield* temporaryFolder
    const file = join(folder, "events.db")
    fillLog(file, 1)
    const faults = Effect.fnUntraced(function* (name: string, change: (bytes: Buffer) => Buffer) {
      const changed = join(folder, name)
      copyFileSync(file, changed)
      writeFileSync(changed, change(readFileSync(file)))
      return (yield* examineLog(changed)).faults.join()
    })
    assert.match(yield* faults("text.db", () => Buffer.from("no database at all".repeat(100))), /not a database/u)
    assert.match(yield* faults("empty.db", () => Buffer.alloc(0)), /holds no event log/u)
    const cut = yield* faults("short.db", (bytes) => bytes.subarray(0, bytes.length - 8192))
    assert.match(cut, /malformed|missing|invalid/iu)
    assert.isFalse(existsSync(join(folder, "none.db")))
    assert.notStrictEqual((yield* examineLog(join(folder, "none.db"))).faults.length, 0)
    assert.deepStrictEqual((yield* examineLog(file)).faults, [])
  })
})
