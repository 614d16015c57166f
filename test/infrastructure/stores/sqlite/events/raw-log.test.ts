import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DatabaseSync } from "node:sqlite"
import { examineStored, givenSignedLog } from "../../../../support/signed-log.ts"

/** A signed log in which somebody did something, and what is said of it. */
const examined = Effect.fnUntraced(function* (...sql: ReadonlyArray<string>) {
  const log = yield* givenSignedLog(6, 4)
  const db = new DatabaseSync(log.events)
  for (const one of sql) db.exec(one)
  db.close()
  const { findings, isWhole } = yield* examineStored(log)
  return { isWhole, told: findings.map(({ message }) => message) }
})

/** Puts a copy of an event elsewhere. */
const insertAt = (position: string): string =>
  `INSERT INTO events SELECT ${position}, stream_id, revision + 7, randomblob(16), type, data, metadata, recorded_at
   FROM events WHERE position = 3`

const isTold = (
  { isWhole, told }: { readonly isWhole: boolean; readonly told: ReadonlyArray<string> },
  what: RegExp
) => {
  assert.isFalse(isWhole)
  assert.isTrue(told.some((message) => what.test(message)), `${what} is not in ${JSON.stringify(told, undefined, 1)}`)
}

describe("the file of a log", () => {
  it.live("hides no event in front of the first, where streams are read from all the same", () =>
    Effect.gen(function* () {
      for (const position of ["0", "-1", "-9223372036854775808"]) {
        isTold(
          yield* examined(insertAt(position)),
          new RegExp(`the event of position ${position}/${position} is stored after position 0/0`, "u")
        )
      }
    }))

  it.live("is told where its numbers are larger than any that was written", () =>
    Effect.gen(function* () {
      isTold(
        yield* examined(insertAt("9223372036854775807")),
        /events are missing, from position 13\/13 to 9223372036854775806/u
      )
      isTold(
        yield* examined("UPDATE events SET revision = 4611686018427387904 WHERE position = 3"),
        /position 3\/3 cannot be read: no event has such a revision/u
      )
    }))

  it.live("is told where a zero hides the rest of a text, so that no query finds it any more", () =>
    Effect.gen(function* () {
      isTold(
        yield* examined("UPDATE events SET type = type || char(0) WHERE position = 3"),
        /between event 1 .* they differ from what/u
      )
      isTold(
        yield* examined("UPDATE streams SET name = name || char(0) || 'x' WHERE id = 2"),
        /between event 1 .* they differ from what/u
      )
    }))

  it.live("is told where what stands around the events would show them otherwise, or change the next", () =>
    Effect.gen(function* () {
      isTold(
        yield* examined(
          "CREATE TRIGGER censor AFTER INSERT ON events BEGIN DELETE FROM events WHERE position = new.position; END"
        ),
        /^the trigger censor is in the file, but SlipTrail did not create it$/u
      )
      isTold(
        yield* examined("DROP VIEW event_log", "CREATE VIEW event_log AS SELECT * FROM events WHERE position <> 3"),
        /^the view event_log is not as SlipTrail creates it$/u
      )
      isTold(yield* examined("DROP INDEX events_by_id"), /^the index events_by_id is not as SlipTrail creates it$/u)
      isTold(
        yield* examined("UPDATE streams SET head = head + 1 WHERE id = 2"),
        /^1 stream does not end where the file says, such as slip-\S+: the file states revision 2, but its last event is 1$/u
      )
      isTold(
        yield* examined("INSERT INTO streams(name, head) VALUES ('slip-x', 0)"),
        /^1 stream does not end where the file says, such as slip-x: the file states revision 0, but the stream has no event$/u
      )
      isTold(
        yield* examined("DELETE FROM sqlite_sequence"),
        /^the last position that the file has assigned is 0, but there is an event at 12$/u
      )
    }))

  it.live("may have what an analyst made to look things up", () =>
    Effect.gen(function* () {
      const { told } = yield* examined(
        "CREATE VIEW mine AS SELECT 1",
        "CREATE INDEX by_type ON events(type)",
        "CREATE TABLE notes(text)"
      )
      assert.deepStrictEqual(told, [])
    }))
})
