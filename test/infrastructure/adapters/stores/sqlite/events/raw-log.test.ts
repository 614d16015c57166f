import { assert, describe, it } from "../../../../../support/it.ts"
import { Effect } from "effect"
import { DatabaseSync } from "node:sqlite"
import { examineStored, givenSignedLog } from "../../../../../support/signed-log.ts"

/** Changes a signed log with these statements. Returns the findings of its verification. */
const findingsAfter = Effect.fnUntraced(function* (...sql: ReadonlyArray<string>) {
  const log = yield* givenSignedLog(6, 4)
  const db = new DatabaseSync(log.events)
  for (const statement of sql) db.exec(statement)
  db.close()
  const { findings, isWhole } = yield* examineStored(log)
  return { isWhole, messages: findings.map(({ message }) => message) }
})

/** Inserts a copy of an event at another position. */
const insertAt = (position: string): string =>
  `INSERT INTO events SELECT ${position}, stream_id, revision + 7, randomblob(16), type, data, metadata, recorded_at
   FROM events WHERE position = 3`

const assertFinding = (
  { isWhole, messages }: { readonly isWhole: boolean; readonly messages: ReadonlyArray<string> },
  expected: RegExp
) => {
  assert.isFalse(isWhole)
  assert.isTrue(
    messages.some((message) => expected.test(message)),
    `${expected} is not in ${JSON.stringify(messages, undefined, 1)}`
  )
}

describe("the file of a log", () => {
  it.live("reports an event before the first position, which streams would still contain", function* () {
    for (const position of ["0", "-1", "-9223372036854775808"]) {
      assertFinding(
        yield* findingsAfter(insertAt(position)),
        new RegExp(`the event of position ${position}/${position} is stored after position 0/0`, "u")
      )
    }
  })

  it.live("reports positions and revisions that are larger than any written one", function* () {
    assertFinding(
      yield* findingsAfter(insertAt("9223372036854775807")),
      /events are missing, from position 13\/13 to 9223372036854775806/u
    )
    assertFinding(
      yield* findingsAfter("UPDATE events SET revision = 4611686018427387904 WHERE position = 3"),
      /position 3\/3 cannot be read: no event has such a revision/u
    )
  })

  it.live("reports a zero byte that hides a part of a text from queries", function* () {
    assertFinding(
      yield* findingsAfter("UPDATE events SET type = type || char(0) WHERE position = 3"),
      /between event 1 .* they differ from what/u
    )
    assertFinding(
      yield* findingsAfter("UPDATE streams SET name = name || char(0) || 'x' WHERE id = 2"),
      /between event 1 .* they differ from what/u
    )
  })

  it.live("reports changed triggers, views, indexes and heads", function* () {
    assertFinding(
      yield* findingsAfter(
        "CREATE TRIGGER censor AFTER INSERT ON events BEGIN DELETE FROM events WHERE position = new.position; END"
      ),
      /^the trigger censor is in the file, but SlipTrail did not create it$/u
    )
    assertFinding(
      yield* findingsAfter(
        "DROP VIEW event_log",
        "CREATE VIEW event_log AS SELECT * FROM events WHERE position <> 3"
      ),
      /^the view event_log is not as SlipTrail creates it$/u
    )
    assertFinding(
      yield* findingsAfter("DROP INDEX events_by_stream"),
      /^the index events_by_stream is not as SlipTrail creates it$/u
    )
    assertFinding(
      yield* findingsAfter("UPDATE streams SET head = head + 1 WHERE id = 2"),
      /^1 stream does not end where the file says, such as slip-\S+: the file states revision 2, but its last event is 1$/u
    )
    assertFinding(
      yield* findingsAfter("INSERT INTO streams(name, head) VALUES ('slip-x', 0)"),
      /^1 stream does not end where the file says, such as slip-x: the file states revision 0, but the stream has no event$/u
    )
    assertFinding(
      yield* findingsAfter("DELETE FROM sqlite_sequence"),
      /^the last position that the file has assigned is 0, but there is an event at 12$/u
    )
  })

  it.live("reports views, indexes and tables that an analyst has added", function* () {
    const { messages } = yield* findingsAfter(
      "CREATE VIEW mine AS SELECT 1",
      "CREATE INDEX by_type ON events(type)",
      "CREATE TABLE notes(text)"
    )
    assert.deepStrictEqual(
      messages,
      ["index by_type", "table notes", "view mine"].map((part) =>
        `the ${part} is in the file, but SlipTrail did not create it`
      )
    )
  })
})
