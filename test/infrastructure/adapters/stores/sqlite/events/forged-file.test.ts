import { assert, describe, it } from "../../../../../support/it.ts"
import { Effect, Layer } from "effect"
import { DatabaseSync } from "node:sqlite"
import type { EventStore } from "../../../../../../ports/event-store.ts"
import {
  layerEventStoreEmbedded,
  layerEventStoreEmbeddedReadOnly
} from "../../../../../../infrastructure/adapters/stores/sqlite/events/store.ts"
import { examineStored, givenSignedLog } from "../../../../../support/signed-log.ts"
import { openForForgery } from "../../../../../support/forge-file.ts"

/** Changes the file of a signed log, as a person with access to the file can. */
const givenForged = Effect.fnUntraced(function* (...sql: ReadonlyArray<string>) {
  const log = yield* givenSignedLog(6, 4)
  const db = openForForgery(log.events)
  for (const statement of sql) db.exec(statement)
  db.close()
  return log
})

const messagesOf = (log: Parameters<typeof examineStored>[0]) =>
  Effect.map(examineStored(log), ({ findings, isWhole }) => {
    assert.strictEqual(isWhole, findings.length === 0)
    return findings.map(({ message }) => message).join("\n")
  })

/** Why the log does not open; undefined when it does. */
const refusalOf = (layer: Layer.Layer<EventStore, unknown>) =>
  Effect.scoped(Layer.build(layer)).pipe(
    Effect.as(undefined),
    Effect.catch((error) => Effect.succeed(error instanceof Error && "cause" in error ? String(error.cause) : "?"))
  )

/** The root page of a table becomes that of an index on it, with other content: a sub-query of the index sees only this. */
const forgeIndex = (as: string, index: string, columns: string, forgery: string): ReadonlyArray<string> => [
  "CREATE TABLE forged AS SELECT * FROM events",
  forgery,
  `CREATE INDEX ${index} ON forged(${columns})`,
  "PRAGMA writable_schema = ON",
  `UPDATE sqlite_schema SET tbl_name = 'events', sql = '${as}' WHERE name = '${index}'`,
  "DELETE FROM sqlite_schema WHERE name = 'forged'",
  "PRAGMA writable_schema = RESET"
]

const COLUMNS = "stream_id, revision, position, event_id, type, data, metadata, recorded_at"

/** Each with the part that the refusal and the finding name. */
const foreignParts: ReadonlyArray<readonly [what: string, part: string, ...sql: ReadonlyArray<string>]> = [
  [
    "a covering index with another amount",
    "index shadow",
    ...forgeIndex(
      `CREATE INDEX shadow ON events(${COLUMNS})`,
      "shadow",
      COLUMNS,
      "UPDATE forged SET data = json_set(data, '$.amount', 1)"
    )
  ],
  ["an index", "index by_type", "CREATE INDEX by_type ON events(type)"],
  ["an index of a part of the table", "index some", "CREATE INDEX some ON events(stream_id) WHERE revision > 0"],
  ["an index of an expression", "index amounts", "CREATE INDEX amounts ON events(data ->> '$.amount')"],
  ["an index of streams", "index heads", "CREATE INDEX heads ON streams(name, id, head)"],
  ["a table", "table notes", "CREATE TABLE notes(text)"],
  ["a virtual table", "table search", "CREATE VIRTUAL TABLE search USING fts5(text)"],
  ["a view", "view mine", "CREATE VIEW mine AS SELECT 1"],
  [
    "a trigger",
    "trigger censor",
    "CREATE TRIGGER censor AFTER INSERT ON events BEGIN DELETE FROM events WHERE position = new.position; END"
  ],
  ["statistics, which choose between indexes", "table sqlite_stat1", "ANALYZE"],
  ["a name with quotes", "table a\"b'c", 'CREATE TABLE "a""b\'c"(text)'],
  [
    "an index of an earlier version with other columns",
    "index events_by_id",
    `CREATE UNIQUE INDEX events_by_id ON events(event_id, ${COLUMNS.replace("event_id, ", "")})`
  ]
]

/** The same for parts of SlipTrail. */
const changedParts: ReadonlyArray<readonly [what: string, part: string, ...sql: ReadonlyArray<string>]> = [
  [
    "a view in the place of the table of events",
    "table events",
    "ALTER TABLE events RENAME TO hidden",
    "CREATE VIEW events AS SELECT * FROM hidden WHERE position <> 3"
  ],
  [
    "a generated column",
    "table events",
    "ALTER TABLE events ADD COLUMN amount TEXT AS (data ->> '$.amount')"
  ],
  [
    "another collation of the names",
    "table streams",
    "PRAGMA writable_schema = ON",
    "UPDATE sqlite_schema SET sql = replace(sql, 'name TEXT NOT NULL', 'name TEXT COLLATE NOCASE NOT NULL') WHERE name = 'streams'",
    "PRAGMA writable_schema = RESET",
    "REINDEX"
  ],
  [
    "a text that hides its end behind a zero",
    "index events_by_stream",
    "PRAGMA writable_schema = ON",
    "UPDATE sqlite_schema SET sql = sql || char(0) || 'x' WHERE name = 'events_by_stream'",
    "PRAGMA writable_schema = RESET"
  ],
  [
    "an index that lost its rule",
    "index events_by_stream",
    "DROP INDEX events_by_stream",
    "CREATE INDEX events_by_stream ON events(stream_id, revision)"
  ],
  ["a view of less", "view event_log", "DROP VIEW event_log", "CREATE VIEW event_log AS SELECT 1"],
  ["no view", "view event_log", "DROP VIEW event_log"]
]

describe("a log whose file was forged", () => {
  it.live.each(foreignParts)("is refused at the start and found with %s", function* ([, part, ...sql]) {
    const log = yield* givenForged(...sql)
    const message = `the ${part} is in the file, but SlipTrail did not create it`
    assert.include(yield* messagesOf(log), message)
    for (const layer of [layerEventStoreEmbedded, layerEventStoreEmbeddedReadOnly]) {
      const refusal = yield* refusalOf(layer({ file: log.events }))
      assert.include(refusal, message)
      assert.match(refusal ?? "", /mend its schema with sqlite3: DROP (TABLE|INDEX|VIEW|TRIGGER) IF EXISTS "/u)
    }
  })

  it.live.each(changedParts)("is refused at the start and found with %s", function* ([, part, ...sql]) {
    const log = yield* givenForged(...sql)
    const message = `the ${part} is not as SlipTrail creates it`
    for (const layer of [layerEventStoreEmbedded, layerEventStoreEmbeddedReadOnly]) {
      const refusal = yield* refusalOf(layer({ file: log.events }))
      assert.include(refusal, message)
      assert.include(refusal, part.startsWith("table") ? "restore a backup" : "mend its schema with sqlite3: DROP ")
    }
    assert.include(yield* messagesOf(log), message)
  })

  it.live("opens again after the statements that the refusal names", function* () {
    const log = yield* givenForged(
      'CREATE TABLE "a""b\'c"(text)',
      "ANALYZE",
      "CREATE VIEW mine AS SELECT 1",
      "DROP VIEW event_log",
      "DROP INDEX events_by_stream"
    )
    const refusal = yield* refusalOf(layerEventStoreEmbedded({ file: log.events }))
    const db = new DatabaseSync(log.events)
    db.exec(refusal?.slice(refusal.indexOf("sqlite3: ") + "sqlite3: ".length) ?? "")
    db.close()
    assert.isUndefined(yield* refusalOf(layerEventStoreEmbedded({ file: log.events })))
    assert.strictEqual(yield* messagesOf(log), "")
  })

  it.live("is found when an index of SlipTrail has entries of another table", function* () {
    const forgeries = [
      // Two events of one stream change places, an event is hidden, an event is shown in another stream.
      "UPDATE forged SET revision = 1 - revision WHERE stream_id = 1",
      "DELETE FROM forged WHERE position = 3",
      "UPDATE forged SET stream_id = 2, revision = 2 WHERE position = 1",
      "INSERT INTO forged SELECT 99, stream_id, revision + 1, event_id, type, data, metadata, recorded_at FROM forged WHERE position = 2"
    ]
    for (const forgery of forgeries) {
      const log = yield* givenForged(
        "CREATE TABLE forged(position INTEGER PRIMARY KEY, stream_id, revision, event_id, type, data, metadata, recorded_at)",
        "INSERT INTO forged SELECT * FROM events",
        forgery,
        "CREATE UNIQUE INDEX shadow ON forged(stream_id, revision)",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'shadow') WHERE name = 'events_by_stream'",
        "DELETE FROM sqlite_schema WHERE name IN ('shadow', 'forged')",
        "PRAGMA writable_schema = RESET"
      )
      assert.include(yield* messagesOf(log), "events_by_stream", forgery)
    }
  })

  it.live("is found when the index of names leads to another stream", function* () {
    const log = yield* givenForged(
      "CREATE TABLE forged(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, head INTEGER NOT NULL)",
      "INSERT INTO forged SELECT id + 2, name, head FROM streams",
      "PRAGMA writable_schema = ON",
      `UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_forged_1')
         WHERE name = 'sqlite_autoindex_streams_1'`,
      "DELETE FROM sqlite_schema WHERE tbl_name = 'forged'",
      "PRAGMA writable_schema = RESET"
    )
    assert.include(yield* messagesOf(log), "sqlite_autoindex_streams_1")
  })

  it.live("is found when the name of a stream was changed", function* () {
    const log = yield* givenForged("UPDATE streams SET name = 'slip-other' WHERE id = 1")
    assert.match(yield* messagesOf(log), /they differ from what tree head 1 was signed over/u)
  })

  it.live("is found by numbers and rows that SlipTrail does not write", function* () {
    const cases = [
      ["PRAGMA application_id = 7", "the application_id of the file is 7"],
      ["PRAGMA user_version = 7", "the user_version of the file is 7"],
      ["INSERT INTO meta VALUES ('other', '1')", "the table meta has other rows"],
      ["INSERT INTO sqlite_sequence VALUES ('events', 99)", "the table sqlite_sequence has other rows"]
    ] as const
    for (const [sql, message] of cases) assert.include(yield* messagesOf(yield* givenForged(sql)), message)
  })

  it.live("is read as the service reads it when a write-ahead log was left beside it", function* () {
    const log = yield* givenSignedLog(6, 4)
    const db = new DatabaseSync(log.events)
    db.exec("PRAGMA wal_autocheckpoint = 0")
    db.exec("UPDATE events SET data = json_set(data, '$.amount', 1) WHERE position = 3")
    // Open, so that the change stays in the write-ahead log.
    yield* Effect.addFinalizer(() => Effect.sync(() => db.close()))
    assert.match(yield* messagesOf(log), /they differ from what tree head 1 was signed over/u)
  })

  it.live("is whole with the index of ids of an earlier version, and opens", function* () {
    const log = yield* givenForged("CREATE UNIQUE INDEX events_by_id ON events(event_id)")
    assert.strictEqual(yield* messagesOf(log), "")
    for (const layer of [layerEventStoreEmbeddedReadOnly, layerEventStoreEmbedded]) {
      assert.isUndefined(yield* refusalOf(layer({ file: log.events })))
    }
  })
})
