import { DatabaseSync } from "node:sqlite"

/** A table, an index, a view or a trigger in the schema of a file. */
export interface SchemaPart {
  readonly type: string
  readonly name: string
  /** All columns of the schema but the root page, as hexadecimal bytes: a text can hide a part of itself from queries. */
  readonly bytes: string
  /** The statement that creates it; null for an index that belongs to a table. */
  readonly sql: string | null
}

/** A difference between the schema of a file and the schema that SlipTrail creates. */
export interface SchemaFault {
  /** For a person: what is in the file. */
  readonly what: string
  /** The statements that remove a foreign part, or create a view or an index of SlipTrail anew; undefined without any. */
  readonly mendedBy: string | undefined
}

/** Every part of the schema, SQLite's own ones too, such as the statistics that ANALYZE writes. */
const partsOf = (db: DatabaseSync): ReadonlyArray<SchemaPart> =>
  db.prepare(
    `SELECT type, name, sql, hex(type) || ' ' || hex(name) || ' ' || hex(tbl_name) || ' ' || typeof(sql) || ' ' || hex(sql)
     AS bytes FROM sqlite_schema ORDER BY type, name`
  ).all().map(({ bytes, name, sql, type }) => ({
    type: String(type),
    name: String(name),
    bytes: String(bytes),
    sql: typeof sql === "string" ? sql : null
  }))

/** The parts that statements create in an empty database. */
export const partsOfSchema = (statements: string): ReadonlyArray<SchemaPart> => {
  const reference = new DatabaseSync(":memory:")
  try {
    reference.exec(statements)
    return partsOf(reference)
  } finally {
    reference.close()
  }
}

/**
 * Every difference from the schema of SlipTrail. A foreign index can answer a query with other content than its table has. A
 * view or a table can take the place of a table, and a trigger can change what is written. `earlier` are parts that an
 * earlier version created and that may still be there.
 */
export const faultsOfSchema = (
  db: DatabaseSync,
  own: ReadonlyArray<SchemaPart>,
  earlier: ReadonlyArray<SchemaPart> = []
): ReadonlyArray<SchemaFault> => {
  const foreign = [...partsOf(db)]
  const take = ({ bytes }: SchemaPart): boolean => {
    const at = foreign.findIndex((part) => part.bytes === bytes)
    if (at >= 0) foreign.splice(at, 1)
    return at >= 0
  }
  const lacking = own.filter((part) => !take(part))
  earlier.forEach(take)
  const isNamed = (one: SchemaPart) => (other: SchemaPart) => one.type === other.type && one.name === other.name
  return [
    ...lacking.map(({ name, sql, type }) => ({
      what: `the ${type} ${name} is not as SlipTrail creates it`,
      mendedBy: type === "table" || sql === null ? undefined : `DROP ${type.toUpperCase()} IF EXISTS ${name}; ${sql}`
    })),
    ...foreign.filter((part) => !lacking.some(isNamed(part))).map(({ name, type }) => ({
      what: `the ${type} ${name} is in the file, but SlipTrail did not create it`,
      mendedBy: isRemovable(type, name)
        ? `DROP ${type.toUpperCase()} IF EXISTS "${name.replaceAll('"', '""')}"`
        : undefined
    }))
  ]
}

/** SQLite drops no object with a name of its own but the statistics. */
const isRemovable = (type: string, name: string): boolean =>
  ["table", "index", "view", "trigger"].includes(type) && (!/^sqlite_/iu.test(name) || /^sqlite_stat\d$/iu.test(name))

/** What SQLite finds wrong with the pages of a file, and with its indexes as they show the rows of their tables. */
export const faultsOfPages = (db: DatabaseSync, most: number): ReadonlyArray<string> =>
  db.prepare(`PRAGMA integrity_check(${most})`).all().map((row) => String(Object.values(row)[0]))
    .filter((line) => line !== "ok")

/** The numbers in the header of a file that a program gives it; SQLite gives 0. */
export const headerOf = (db: DatabaseSync) => ({
  application_id: pragma(db, "application_id"),
  user_version: pragma(db, "user_version")
})

/** The only value that a pragma returns. */
export const pragma = (db: DatabaseSync, name: string): unknown =>
  Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]
