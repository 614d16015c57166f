/** "SlRM" in the header of the file tells it from any other SQLite file. */
export const applicationId = 0x536c524d

/** A file of another version is thrown away and built again from the log; there are no migrations. */
export const schemaVersion = 1

/**
 * Two processes may make the file at the same time, hence IF NOT EXISTS. It runs before the file is in WAL mode, so
 * that the application id stands in the file itself at once.
 *
 * Sets have numbers, as their names are long and repeated by every member; their size is kept beside the name, so
 * that counting takes constant time. Rows are in a rowid table: with JSON of a kilobyte in the key's own tree, few
 * keys would fit on a page.
 */
export const schema = `
BEGIN IMMEDIATE;
PRAGMA application_id=${applicationId};
CREATE TABLE IF NOT EXISTS checkpoints(
  model TEXT PRIMARY KEY,
  position TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rows(
  model TEXT NOT NULL,
  tbl TEXT NOT NULL,
  key TEXT NOT NULL,
  fields TEXT NOT NULL,
  PRIMARY KEY(model, tbl, key)
) STRICT;
CREATE TABLE IF NOT EXISTS sets(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  model TEXT NOT NULL,
  name TEXT NOT NULL,
  size INTEGER NOT NULL,
  UNIQUE(model, name)
) STRICT;
CREATE TABLE IF NOT EXISTS members(
  set_id INTEGER NOT NULL,
  member TEXT NOT NULL,
  score REAL NOT NULL,
  PRIMARY KEY(set_id, member)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS members_by_score ON members(set_id, score, member);
PRAGMA user_version=${schemaVersion};
COMMIT`
