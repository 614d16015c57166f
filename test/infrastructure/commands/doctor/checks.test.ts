import { assert, describe, it } from "../../../support/it.ts"
import { checkSpace } from "../../../../infrastructure/commands/doctor/data-folder.ts"
import { checkClock, checkDurability } from "../../../../infrastructure/commands/doctor/stores.ts"
import { openForWriting } from "../../../../infrastructure/adapters/stores/sqlite/events/log-file.ts"
import { eventsFile } from "../../../../infrastructure/runtime/data-folder.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

const MIB = 1024 ** 2

describe("the doctor's checks", () => {
  it.each([
    [0, "FAIL"],
    [100 * MIB - 1, "FAIL"],
    [100 * MIB, "warn"],
    [1024 * MIB - 1, "warn"],
    [1024 * MIB, "ok"]
  ])("of a disk with %d bytes left is %s", (free, level) => {
    assert.strictEqual(checkSpace("/data", free).level, level)
  })

  it.effect("accept a restored log, and explain its journal mode", function* () {
    const folder = yield* temporaryFolder
    const log = openForWriting(eventsFile(folder))
    log.exec("PRAGMA journal_mode = DELETE")
    log.close()
    const { level, message } = checkDurability(folder)
    assert.strictEqual(level, "ok", message)
    assert.include(message, "journal_mode delete after a restore, it changes to wal when the service starts")
  })

  const now = Date.parse("2026-11-21T00:00:00Z")

  it.each([
    ["of a machine that was never set", 0, undefined, "FAIL"],
    ["with an empty log", now, undefined, "ok"],
    ["behind the newest event", now, now + 3_600_000, "FAIL"],
    ["a moment behind the newest event", now, now + 1_000, "ok"],
    ["after the newest event", now, now - 1, "ok"]
  ])("of a clock %s", (_, clock, newest, level) => {
    assert.strictEqual(checkClock(clock, newest).level, level)
  })
})
