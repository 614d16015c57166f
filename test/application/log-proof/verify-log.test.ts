import { assert, describe, it } from "../../support/it.ts"
import { Effect } from "effect"
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { LogVerdict } from "../../../application/log-proof/verify-log/verify-log.ts"
import { parsePosition } from "../../../domain/events/recorded-event.ts"
import {
  appendMany,
  examineExport,
  examineStored,
  exportedLines,
  givenSignedLog,
  layerSigning,
  newKey,
  type SignedLog,
  signNext
} from "../../support/signed-log.ts"

const tamper = ({ events }: SignedLog, ...statements: ReadonlyArray<string>) =>
  Effect.sync(() => {
    const db = new DatabaseSync(events, { enableForeignKeyConstraints: false })
    for (const statement of statements) db.exec(statement)
    // An attacker corrects the ends of the streams too. A wrong end is a separate finding.
    db.exec("DELETE FROM streams WHERE id NOT IN (SELECT stream_id FROM events)")
    db.exec("UPDATE streams SET head = (SELECT max(revision) FROM events WHERE stream_id = streams.id)")
    db.close()
  })

const written = (folder: string, lines: ReadonlyArray<string>): string => {
  const file = join(folder, "export.ndjson")
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""))
  return file
}

const messages = ({ findings }: LogVerdict) => findings.map(({ message }) => message)

describe("verifying a signed log", () => {
  it.live("accepts an unchanged log, stored and exported", function* () {
    const log = yield* givenSignedLog(10, 7, 13)
    const stored = yield* examineStored(log)
    assert.deepStrictEqual(stored.findings, [])
    assert.deepInclude(stored, { isWhole: true, events: 33, covered: 32, uncovered: 0, inFile: 3, position: "33/33" })
    assert.deepInclude(stored.checkpoint, { number: 3, position: "32/32" })
    assert.deepStrictEqual(Object.values(stored.signedBy), [3])
    const exported = yield* examineExport(log, written(log.folder, yield* exportedLines(log)))
    assert.deepStrictEqual(exported, stored)
  })

  it.live("accepts a log of many pages, and tree heads far behind the events that they cover", function* () {
    const log = yield* givenSignedLog()
    yield* Effect.provide(
      Effect.andThen(appendMany(1_200), Effect.forEach([300, 300, 1, 598], signNext)),
      layerSigning(log)
    )
    assert.deepInclude(yield* examineStored(log), { isWhole: true, events: 1_204, covered: 1_199, uncovered: 1 })
    const file = written(log.folder, yield* exportedLines(log))
    assert.deepInclude(yield* examineExport(log, file), { isWhole: true, covered: 1_199 })
    yield* tamper(log, "UPDATE events SET type = 'SlipVerifed' WHERE position = 601")
    assert.deepStrictEqual(messages(yield* examineStored(log)), [
      "event 601 (position 601/601): it differs from what tree head 3 was signed over"
    ])
  })

  it.live("counts the uncovered events and proves nothing about them", function* () {
    const log = yield* givenSignedLog(5)
    yield* Effect.provide(appendMany(3), layerSigning(log))
    assert.deepInclude(yield* examineStored(log), { isWhole: true, events: 9, covered: 5, uncovered: 3 })
    yield* tamper(log, "UPDATE events SET data = '{}' WHERE position = 9")
    assert.deepInclude(yield* examineStored(log), { isWhole: true, uncovered: 3 })
  })

  it.live("proves nothing without a tree head", function* () {
    const log = yield* givenSignedLog()
    yield* Effect.provide(appendMany(3), layerSigning(log))
    assert.deepInclude(yield* examineStored(log), {
      isWhole: true,
      events: 3,
      covered: 0,
      uncovered: 3,
      checkpoint: null
    })
  })

  it.live("accepts an old copy of the file, and no file", function* () {
    const log = yield* givenSignedLog(3, 3, 3)
    const lines = readFileSync(log.checkpoints, "utf8").split("\n")
    writeFileSync(log.checkpoints, `${lines.slice(0, 2).join("\n")}\n${lines[2]?.slice(0, 80)}`)
    assert.deepInclude(yield* examineStored(log), { isWhole: true, inFile: 2, covered: 11 })
    rmSync(log.checkpoints)
    assert.deepInclude(yield* examineStored(log), { isWhole: true, inFile: 0, covered: 11 })
  })
})

describe("verification locates a change", () => {
  it.live("reports each change separately", function* () {
    const log = yield* givenSignedLog(5, 5, 5, 5)
    yield* tamper(
      log,
      "UPDATE events SET data = json_set(data, '$.amount', 1) WHERE position = 2",
      "DELETE FROM events WHERE position = 14",
      "UPDATE events SET data = substr(data, 1, 20) WHERE position = 20"
    )
    assert.deepStrictEqual(messages(yield* examineStored(log)), [
      "between event 1 (position 1/1) and event 5 (position 5/5): they differ from what tree head 1 was signed over",
      "between event 12 (after position 11/11) and event 17 (position 17/17): 5 events instead of the 6 that tree head 3 was signed over",
      "the event at position 14/14 is missing",
      "between event 18 (after position 17/17) and event 23 (position 23/23): they differ from what tree head 4 was signed over",
      "position 20/20 cannot be read: Unterminated string in JSON at position 20 (line 1 column 21)"
    ])
  })

  it.live("reports an event without its stream", function* () {
    const log = yield* givenSignedLog(4)
    yield* tamper(log, "DELETE FROM streams WHERE id = (SELECT stream_id FROM events WHERE position = 3)")
    assert.include(
      messages(yield* examineStored(log)),
      "position 3/3 cannot be read: its stream does not exist"
    )
  })

  it.live("reports other bytes with the same meaning", function* () {
    const log = yield* givenSignedLog(5)
    yield* tamper(log, "UPDATE events SET metadata = replace(metadata, ',', ', ') WHERE position = 4")
    assert.deepStrictEqual(messages(yield* examineStored(log)), [
      "the event at position 4/4: its JSON has other bytes than were written"
    ])
  })

  it.live("reports events out of order and a duplicate in an export", function* () {
    const log = yield* givenSignedLog(6)
    const lines = yield* exportedLines(log)
    const swapped = lines.with(1, lines[3] ?? "").with(3, lines[1] ?? "")
    assert.deepStrictEqual(messages(yield* examineExport(log, written(log.folder, swapped))).slice(1), [
      "the event of position 4/4 is stored after position 1/1",
      "the event of position 3/3 is stored after position 1/1"
    ])
    const doubled = lines.toSpliced(4, 0, lines[1] ?? "")
    const { id } = JSON.parse(lines[1] ?? "")
    assert.deepStrictEqual(messages(yield* examineExport(log, written(log.folder, doubled))), [
      "between event 1 (position 1/1) and event 6 (position 6/6): 7 events instead of the 6 that tree head 1 was signed over",
      `the event at position 2/2 has the id of an earlier event: ${id}`,
      "the event of position 2/2 is stored after position 4/4"
    ])
  })

  it.live("reports an incomplete export", function* () {
    const log = yield* givenSignedLog(4, 4)
    const lines = yield* exportedLines(log)
    const [first] = messages(yield* examineExport(log, written(log.folder, lines.slice(2))))
    assert.match(first ?? "", /^between event 1 \(after position 0\/0\) .*: 2 events instead of the 4/u)
  })

  it.live("reports a tail that was cut off, by the file and by a read model", function* () {
    const log = yield* givenSignedLog(4, 4)
    yield* tamper(
      log,
      "DELETE FROM events WHERE position > 5",
      "UPDATE sqlite_sequence SET seq = 5 WHERE name = 'events'"
    )
    assert.deepStrictEqual(messages(yield* examineStored(log)), [
      "the log ends at position 5/5 with 5 events, but tree head 2 covers 9, up to position 9/9: the rest was cut off",
      "tree head 2: in the file, but not in the log"
    ])
    rmSync(log.checkpoints)
    assert.isTrue((yield* examineStored(log)).isWhole, "no other evidence is left")
    const position = parsePosition("10/10") ?? assert.fail("no position")
    assert.deepStrictEqual(messages(yield* examineStored(log, [{ by: "the read model jobs.v1", position }])), [
      "the log ends at position 5/5, but the read model jobs.v1 has reached position 10/10: the rest was cut off"
    ])
  })

  it.live("reports a tail that the database file remembers", function* () {
    const log = yield* givenSignedLog(4)
    yield* Effect.provide(appendMany(4), layerSigning(log))
    yield* tamper(log, "DELETE FROM events WHERE position > 7")
    assert.deepStrictEqual(messages(yield* examineStored(log)), ["2 events are missing, from position 8/8 to 9/9"])
  })

  it.live("reports tree heads that are missing in the log or the file", function* () {
    const log = yield* givenSignedLog(3, 3, 3, 3)
    const lines = readFileSync(log.checkpoints, "utf8").trimEnd().split("\n")
    writeFileSync(log.checkpoints, `${lines.toSpliced(1, 1, "nothing").join("\n")}\n`)
    assert.deepStrictEqual(messages(yield* examineStored(log)), [
      `line 2 of ${log.checkpoints} is not a tree head`,
      "tree head 2: in the log, but missing from the file, which has later ones"
    ])
    appendFileSync(log.checkpoints, `${lines[0]}\n`)
    assert.include(
      messages(yield* examineStored(log)),
      `line 5 of ${log.checkpoints} is tree head 1, but comes after tree head 4`
    )
    rmSync(log.checkpoints)
    yield* tamper(log, "DELETE FROM events WHERE type = 'CheckpointSigned' AND revision IN (1, 2)")
    assert.includeMembers(messages(yield* examineStored(log)), [
      "tree heads 2 to 3: missing from the log",
      "the event at position 8/8 is missing",
      "the event at position 12/12 is missing"
    ])
  })

  it.live("reports a tree head with a very high number at once", function* () {
    const log = yield* givenSignedLog(3, 3)
    const last = readFileSync(log.checkpoints, "utf8").trimEnd().split("\n").at(-1) ?? ""
    appendFileSync(log.checkpoints, `${last.replace(`"number":2,`, `"number":${Number.MAX_SAFE_INTEGER},`)}\n`)
    assert.include(
      messages(yield* examineStored(log)),
      `tree heads 3 to ${Number.MAX_SAFE_INTEGER - 1}: missing from the log, and from the file`
    )
  })

  it.live("reports tree heads of an untrusted key, and one without a valid signature", function* () {
    const log = yield* givenSignedLog(3, 3)
    const other = newKey()
    const untrusted = messages(yield* examineStored({ ...log, key: other }))
    assert.lengthOf(untrusted, 1)
    assert.match(
      untrusted[0] ?? "",
      /^tree heads 1 to 2: signed by key [\da-f]{16}, which is not a trusted key/u
    )
    yield* tamper(
      log,
      `UPDATE events SET data = json_set(data, '$.at', '2026-01-01T00:00:00.000Z') WHERE position = 8`
    )
    rmSync(log.checkpoints)
    const changed = messages(yield* examineStored(log))
    assert.match(changed[0] ?? "", /^the event at position 8\/8 differs from tree head 2 as it was appended$/u)
    assert.match(changed[1] ?? "", /^tree head 2: the signature does not match key [\da-f]{16}$/u)
  })

  it.live("fails on a file that is not a database", function* () {
    const log = yield* givenSignedLog(3)
    writeFileSync(log.events, Buffer.alloc(8_192, 1))
    const error = yield* Effect.flip(examineStored(log))
    assert.deepInclude(error, { _tag: "LogSourceError", isDamaged: true })
  })
})
