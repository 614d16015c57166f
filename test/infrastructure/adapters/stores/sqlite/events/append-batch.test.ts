import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"
import {
  type AppendMessage,
  makeAppendBatch
} from "../../../../../../infrastructure/adapters/stores/sqlite/events/append-batch.ts"
import { openForWriting } from "../../../../../../infrastructure/adapters/stores/sqlite/events/log-file.ts"

const NO_STREAM = -1

const append = (
  stream: string,
  expected: number,
  ids: ReadonlyArray<string>,
  data = "{}"
): AppendMessage => [stream, expected, ids.flatMap((id) => [id, "Tested", data, "{}"])]

const given = () => {
  const db = openForWriting(":memory:")
  const write = makeAppendBatch(db)
  return { db, when: (...appends: ReadonlyArray<AppendMessage>) => write(appends, 1) }
}

const rows = (db: DatabaseSync): number => Number(db.prepare("SELECT count(*) AS n FROM event_log").get()?.["n"])

describe("a batch of appends", () => {
  it("commits the others when one has a wrong revision", () => {
    const { db, when } = given()
    const { head, outcomes } = when(
      append("a", NO_STREAM, [randomUUID(), randomUUID()]),
      append("a", NO_STREAM, [randomUUID()]),
      append("missing", 4, [randomUUID()]),
      append("a", 1, [randomUUID()])
    )
    assert.deepStrictEqual(outcomes, [
      ["appended", 1, 2],
      ["wrong-revision", 1, 0],
      ["wrong-revision", NO_STREAM, 0],
      ["appended", 2, 3]
    ])
    assert.strictEqual(head, 3)
    assert.strictEqual(rows(db), 3)
  })

  it("answers a repeated append in a batch with the same position and writes it once", () => {
    const { db, when } = given()
    const id = randomUUID()
    const { outcomes } = when(append("a", NO_STREAM, [id]), append("a", NO_STREAM, [id]))
    assert.deepStrictEqual(outcomes, [["appended", 0, 1], ["repeated", 0, 1]])
    assert.strictEqual(rows(db), 1)
  })

  it("refuses an append whose ids are not those of the next events", () => {
    const { db, when } = given()
    const [one, two] = [randomUUID(), randomUUID()]
    when(append("a", NO_STREAM, [one, two]))
    const others = [
      append("a", NO_STREAM, [two]),
      append("a", NO_STREAM, [two, one]),
      append("a", NO_STREAM, [one, two, randomUUID()]),
      append("a", 0, [one]),
      append("a", 0, [randomUUID()])
    ]
    const { outcomes } = when(...others)
    assert.deepStrictEqual(outcomes, others.map(() => ["wrong-revision", 1, 0]))
    assert.deepStrictEqual(when(append("a", 0, [two])).outcomes, [["repeated", 1, 2]])
    assert.strictEqual(rows(db), 2)
  })

  it("rolls back when one event can't be written, and accepts the next batch", () => {
    const { db, when } = given()
    const whole = append("a", NO_STREAM, [randomUUID()])
    const broken = append("b", NO_STREAM, ["no id"])
    assert.throws(() => when(whole, broken), /CHECK constraint/u)
    assert.strictEqual(rows(db), 0)
    assert.deepStrictEqual(when(whole).outcomes, [["appended", 0, 1]])
  })

  it("rolls back when the disk is full, and accepts the batch once there is room", () => {
    const { db, when } = given()
    when(append("a", NO_STREAM, [randomUUID()]))
    const pages = Number(db.prepare("PRAGMA page_count").get()?.["page_count"])
    db.exec(`PRAGMA max_page_count = ${pages + 2}`)
    const small = append("b", NO_STREAM, [randomUUID()])
    const large = append("a", 0, [randomUUID()], JSON.stringify("x".repeat(100_000)))
    assert.throws(() => when(small, large), /full/u)
    assert.strictEqual(rows(db), 1)
    db.exec("PRAGMA max_page_count = 1000000")
    assert.deepStrictEqual(when(small, large), {
      outcomes: [["appended", 0, 2], ["appended", 1, 3]],
      head: 3
    })
  })
})
