import { createHash } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import type { PeerOutcome, PeerStore } from "./peer-service.ts"

/** The key and the quota of the only branch. */
export interface PeerBranch {
  readonly apiKey: string
  readonly quota: number
}

/** One SQLite file, and one flushed transaction for each verification. */
export const openSqliteStore = (file: string, { apiKey, quota }: PeerBranch): PeerStore => {
  const db = new DatabaseSync(file)
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  db.exec(`
    CREATE TABLE branches (id INTEGER PRIMARY KEY, quota INTEGER NOT NULL, used INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE keys (digest TEXT PRIMARY KEY, branch INTEGER NOT NULL REFERENCES branches) WITHOUT ROWID;
    CREATE TABLE slips (
      branch INTEGER NOT NULL REFERENCES branches,
      bank TEXT NOT NULL,
      trans_ref TEXT NOT NULL,
      verification_id TEXT NOT NULL,
      transfer TEXT NOT NULL,
      verified_at TEXT NOT NULL,
      PRIMARY KEY (branch, bank, trans_ref)
    )`)
  db.prepare("INSERT INTO branches (id, quota) VALUES (1, ?)").run(quota)
  db.prepare("INSERT INTO keys VALUES (?, 1)").run(createHash("sha256").update(apiKey).digest("hex"))

  const begin = db.prepare("BEGIN IMMEDIATE")
  const commit = db.prepare("COMMIT")
  const rollback = db.prepare("ROLLBACK")
  const findKey = db.prepare("SELECT branch FROM keys WHERE digest = ?")
  const findSlip = db.prepare("SELECT 1 FROM slips WHERE branch = ? AND bank = ? AND trans_ref = ?")
  const charge = db.prepare("UPDATE branches SET used = used + 1 WHERE id = ? AND used < quota")
  const insert = db.prepare("INSERT INTO slips VALUES (?, ?, ?, ?, ?, ?)")

  const record: PeerStore["record"] = ({ keyDigest, sendingBank, transRef, transfer, verificationId }): PeerOutcome => {
    const key = findKey.get(keyDigest)
    if (key === undefined) return "unknown-key"
    const branch = Number(key["branch"])
    if (findSlip.get(branch, sendingBank, transRef) !== undefined) return "duplicate"
    if (charge.run(branch).changes === 0) return "quota-exceeded"
    insert.run(branch, sendingBank, transRef, verificationId, transfer, new Date().toISOString())
    return "first"
  }

  return {
    record: (verification) => {
      begin.run()
      try {
        const outcome = record(verification)
        commit.run()
        return outcome
      } catch (error) {
        rollback.run()
        throw error
      }
    },
    close: () => db.close()
  }
}
