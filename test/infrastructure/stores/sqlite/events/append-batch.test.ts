import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"
import { makeAppendBatch } from "../../../../../infrastructure/stores/sqlite/events/append-batch.ts"
import { openForWriting } from "../../../../../infrastructure/stores/sqlite/events/log-file.ts"
import type { AppendMessage } from "../../../../../infrastructure/stores/sqlite/events/messages.ts"

const NO_STREAM = -1

const append = (
  key: number,
  stream: string,
  expected: number,
  ids: ReadonlyArray<string>,
  data = "{}"
): AppendMessage => [key, stream, expected, ids.flatMap((id) => [id, "Tested", data, "{}"])]

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
      append(1, "a", NO_STREAM, [randomUUID(), randomUUID()]),
      append(2, "a", NO_STREAM, [randomUUID()]),
      append(3, "missing", 4, [randomUUID()]),
      append(4, "a", 1, [randomUUID()])
    )
    assert.deepStrictEqual(outcomes, [
      [1, "appended", 1, 2],
      [2, "wrong-revision", 1, 0],
      [3, "wrong-revision", NO_STREAM, 0],
      [4, "appended", 2, 3]
    ])
    assert.strictEqual(head, 3)
    assert.strictEqual(rows(db), 3)
  })

  it("answers an append twice in the same batch with the same place and writes it once", () => {
    const { db, when } = given()
    const id = randomUUID()
    const { outcomes } = when(append(1, "a", NO_STREAM, [id]), append(2, "a", NO_STREAM, [id]))
    assert.deepStrictEqual(outcomes, [[1, "appended", 0, 1], [2, "repeated", 0, 1]])
    assert.strictEqual(rows(db), 1)
  })

  it("refuses an id that stands elsewhere in the log", () => {
    const { db, when } = given()
    const [one, two] = [randomUUID(), randomUUID()]
    when(append(1, "a", NO_STREAM, [one, two]))
    const elsewhere = [
      append(2, "b", NO_STREAM, [one]),
      append(3, "a", 1, [one]),
      append(4, "a", NO_STREAM, [two]),
      append(5, "a", NO_STREAM, [two, one]),
      append(6, "a", NO_STREAM, [one, two, randomUUID()]),
      append(7, "a", 1, [randomUUID(), one])
    ]
    const { outcomes } = when(...elsewhere)
    assert.deepStrictEqual(outcomes.map(([, kind]) => kind), elsewhere.map(() => "id-reused"))
    assert.strictEqual(rows(db), 2)
  })

  it("refuses an append that names an id twice", () => {
    const { db, when } = given()
    const id = randomUUID()
    const { outcomes } = when(append(1, "a", NO_STREAM, [id, id]), append(2, "b", NO_STREAM, [randomUUID()]))
    assert.deepStrictEqual(outcomes.map(([, kind]) => kind), ["id-reused", "appended"])
    assert.strictEqual(rows(db), 1)
  })

  it("leaves nothing behind when it can't be written to its end, and goes on", () => {
    const { db, when } = given()
    const whole = append(1, "a", NO_STREAM, [randomUUID()])
    const broken = append(2, "b", NO_STREAM, ["no id"])
    assert.throws(() => when(whole, broken), /CHECK constraint/u)
    assert.strictEqual(rows(db), 0)
    assert.deepStrictEqual(when(whole).outcomes, [[1, "appended", 0, 1]])
  })

  it("leaves nothing behind when the disk is full, and goes on once there is room", () => {
    const { db, when } = given()
    when(append(1, "a", NO_STREAM, [randomUUID()]))
    const pages = Number(db.prepare("PRAGMA page_count").get()?.["page_count"])
    db.exec(`PRAGMA max_page_count = ${pages + 2}`)
    const small = append(2, "b", NO_STREAM, [randomUUID()])
    const large = append(3, "a", 0, [randomUUID()], JSON.stringify("x".repeat(100_000)))
    assert.throws(() => when(small, large), /full/u)
    assert.strictEqual(rows(db), 1)
    db.exec("PRAGMA max_page_count = 1000000")
    assert.deepStrictEqual(when(small, large), {
      outcomes: [[2, "appended", 0, 2], [3, "appended", 1, 3]],
      head: 3,
      at: 1
    })
  })
})
