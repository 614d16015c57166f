import { createPublicKey, type KeyObject, randomUUID, sign } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { treeHeadEvent, treeHeadOf } from "../../application/log-proof/tree-head-chain.ts"
import { treeHeadStream } from "../../domain/log-proof/pending-block.ts"
import type { EventMetadata, JsonObject } from "../../domain/events/recorded-event.ts"
import type { Identifiers } from "../../ports/identifiers.ts"
import {
  addLeaf,
  beginBlock,
  closeBlock,
  countOf,
  leafOf,
  noChain,
  signedText,
  type TreeHead
} from "../../domain/log-proof/tree-head.ts"
import { sha256 } from "../../infrastructure/platform/sha256.ts"
import { keyIdOf } from "../../infrastructure/adapters/notary/signing-keys.ts"
import { pick, type Random } from "./random.ts"

/** A change of a log with the changed positions. Without positions, a finding may have any position. */
export interface Mutation {
  readonly label: string
  readonly positions: ReadonlyArray<number>
}

type Derived = Pick<Identifiers["Service"], "derived">

/** A whole number from 0 to the bound, without the bound. */
const below = (random: Random, bound: number): number => Math.floor(random() * bound)

/** Bytes with one flipped bit. */
const flipped = (random: Random, bytes: Uint8Array): Uint8Array => {
  const copy = Uint8Array.from(bytes)
  const at = below(random, copy.length)
  copy[at] = (copy[at] ?? 0) ^ 1 << below(random, 8)
  return copy
}

interface Line {
  readonly position: string
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly type: string
  readonly data: JsonObject
  readonly metadata: EventMetadata & JsonObject
}

/**
 * The log as the owner of a key could rewrite it: one event is changed, and every later tree head is signed again, so
 * that the log is consistent.
 */
export const rewrite = (
  lines: ReadonlyArray<string>,
  index: number,
  key: KeyObject,
  identifiers: Derived
): ReadonlyArray<string> => {
  const keyId = keyIdOf(createPublicKey(key))
  let block = beginBlock(0, noChain)
  let position = ""
  let covered = 0
  let previous: TreeHead | undefined
  let pending: Array<Line> = []
  const cover = (count: number) => {
    for (const event of pending.splice(0, count)) {
      block = addLeaf(sha256, block, leafOf(sha256, event))
      position = event.position
      covered++
    }
  }
  return lines.map((text, lineIndex) => {
    const parsed: Line = JSON.parse(text)
    const treeHead = treeHeadOf(parsed)
    let line = lineIndex === index ? { ...parsed, data: { ...parsed.data, amount: 1 } } : parsed
    if (treeHead !== undefined) {
      cover(treeHead.count - covered)
      const unsigned = closeBlock(sha256, block, { at: treeHead.at, keyId, position, previous })
      previous = { ...unsigned, signature: sign(null, Buffer.from(signedText(unsigned)), key).toString("base64") }
      block = beginBlock(countOf(block), block.chain)
      line = { ...parsed, ...treeHeadEvent(sha256, identifiers, previous) }
    }
    pending = [...pending, line]
    return JSON.stringify(line)
  })
}

const forged = (random: Random, position: number): Line => ({
  position: `${position}/${position}`,
  id: randomUUID(),
  stream: `slip-${randomUUID()}`,
  revision: 0,
  type: "SlipVerified",
  data: { amount: below(random, 1_000_000) },
  metadata: {
    at: "2026-11-21T00:00:00.000Z",
    correlationId: "forged",
    causationId: "forged",
    actor: { kind: "branch", id: "forged" },
    schema: 1
  }
})

const isNotTreeHead = (line: string): boolean => !line.includes(treeHeadStream)

/** Makes one random change of an export. Returns the bytes of the new file. The first `covered` lines are signed. */
export const mutateExport = (
  random: Random,
  lines: ReadonlyArray<string>,
  covered: number,
  signers: { readonly own: KeyObject; readonly other: KeyObject; readonly identifiers: Derived }
): Mutation & { readonly bytes: Uint8Array } => {
  const whole = Buffer.from(lines.map((line) => `${line}\n`).join(""))
  const written = (changed: ReadonlyArray<string>) => Buffer.from(changed.map((line) => `${line}\n`).join(""))
  const at = below(random, covered)
  const kinds = ["flip", "flip", "flip", "delete", "swap", "copy", "insert", "cut", "cut lines", "rewrite"]
  const kind = pick(random, kinds, "flip")
  switch (kind) {
    case "delete": {
      const count = Math.min(1 + below(random, 3), covered - at)
      return { label: `${kind} ${at} ${count}`, positions: [at + 1], bytes: written(lines.toSpliced(at, count)) }
    }
    case "swap": {
      const other = (at + 1 + below(random, covered - 1)) % covered
      const swapped = lines.with(at, lines[other] ?? "").with(other, lines[at] ?? "")
      return { label: `${kind} ${at} ${other}`, positions: [at + 1, other + 1], bytes: written(swapped) }
    }
    case "copy": {
      const to = below(random, covered)
      return {
        label: `${kind} ${at} ${to}`,
        positions: [at + 1],
        bytes: written(lines.toSpliced(to, 0, lines[at] ?? ""))
      }
    }
    case "insert": {
      const line = JSON.stringify(forged(random, at + 1))
      return { label: `${kind} ${at}`, positions: [at + 1], bytes: written(lines.toSpliced(at, 0, line)) }
    }
    case "cut": {
      // A file without a whole event is no export: it is refused.
      const first = Buffer.byteLength(`${lines[0]}\n`)
      return { label: kind, positions: [], bytes: whole.subarray(0, first + below(random, whole.length - first)) }
    }
    case "cut lines": {
      const remaining = below(random, lines.length)
      return { label: `${kind} ${remaining}`, positions: [], bytes: written(lines.slice(0, remaining)) }
    }
    case "rewrite": {
      const candidates = lines.flatMap((line, index) => index < covered && isNotTreeHead(line) ? [index] : [])
      const key = random() < 0.5 ? signers.own : signers.other
      const label = `${kind} with ${key === signers.own ? "its" : "another"} key`
      return {
        label,
        positions: [],
        bytes: written(rewrite(lines, pick(random, candidates, 0), key, signers.identifiers))
      }
    }
    default: {
      const bytes = flipped(random, whole)
      const offset = bytes.findIndex((byte, index) => byte !== whole[index])
      const line = whole.subarray(0, offset).filter((byte) => byte === 10).length
      return { label: `${kind} ${offset} in line ${line}`, positions: line < covered ? [line + 1] : [], bytes }
    }
  }
}

type Row = Record<"position" | "stream_id", number>

/** Makes one random change of a stored log, in its file. Positions up to `covered` are signed. */
export const mutateStored = (
  random: Random,
  file: string,
  lines: ReadonlyArray<string>,
  covered: number,
  signers: { readonly own: KeyObject; readonly other: KeyObject; readonly identifiers: Derived }
): Mutation => {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  try {
    db.exec("PRAGMA synchronous = OFF")
    const at = 1 + below(random, covered)
    const other = 1 + at % covered
    const kinds = [
      "flip",
      "flip",
      "flip",
      "flip id",
      "flip stream",
      "spaces",
      "delete",
      "swap",
      "swap data",
      "insert",
      "overwrite",
      "cut",
      "cut well",
      "rewrite"
    ]
    const kind = pick(random, kinds, "flip")
    const flipIn = (table: string, column: string, type: string, where: string) => {
      const row = db.prepare(`SELECT CAST(${column} AS BLOB) AS bytes FROM ${table} WHERE ${where}`).get()
      const bytes = flipped(random, row?.["bytes"] as Uint8Array)
      db.prepare(`UPDATE ${table} SET ${column} = CAST(? AS ${type}) WHERE ${where}`).run(bytes)
    }
    switch (kind) {
      case "flip": {
        // The last event is a tree head, which no tree head covers yet.
        const offset = 1 + below(random, lines.length)
        const column = pick(random, ["data", "data", "metadata", "type"], "data")
        flipIn("events", column, "TEXT", `position = ${offset}`)
        return { label: `${kind} ${column} of ${offset}`, positions: offset <= covered ? [offset] : [] }
      }
      case "flip id":
        flipIn("events", "event_id", "BLOB", `position = ${at}`)
        return { label: `${kind} ${at}`, positions: [at] }
      case "flip stream": {
        const { stream_id: stream } = db.prepare(`SELECT stream_id FROM events WHERE position = ${at}`).get() as Row
        flipIn("streams", "name", "TEXT", `id = ${stream}`)
        return { label: `${kind} of ${at}`, positions: [at] }
      }
      case "spaces":
        db.exec(`UPDATE events SET data = replace(data, ':', ': ') WHERE position = ${at}`)
        return { label: `${kind} in ${at}`, positions: [at] }
      case "delete": {
        const last = Math.min(covered, at + below(random, 3))
        db.exec(`DELETE FROM events WHERE position BETWEEN ${at} AND ${last}`)
        return { label: `${kind} ${at} to ${last}`, positions: [at] }
      }
      case "swap":
        db.exec(`UPDATE events SET position = -1 WHERE position = ${at}`)
        db.exec(`UPDATE events SET position = ${at} WHERE position = ${other}`)
        db.exec(`UPDATE events SET position = ${other} WHERE position = -1`)
        return { label: `${kind} ${at} ${other}`, positions: [at, other] }
      case "swap data":
        db.exec(`CREATE TEMP TABLE before AS SELECT position, data FROM events WHERE position IN (${at}, ${other})`)
        db.exec(
          `UPDATE events SET data = (SELECT data FROM before WHERE before.position = ${at} + ${other} - events.position)
          WHERE position IN (${at}, ${other})`
        )
        return { label: `${kind} ${at} ${other}`, positions: [at, other] }
      case "insert":
        db.exec(`UPDATE events SET position = -position WHERE position >= ${at}`)
        db.exec("UPDATE events SET position = 1 - position WHERE position < 0")
        insert(db, forged(random, at), at)
        return { label: `${kind} at ${at}`, positions: [at] }
      case "overwrite":
        db.exec(`DELETE FROM events WHERE position = ${at}`)
        insert(db, forged(random, at), at)
        return { label: `${kind} ${at}`, positions: [at] }
      case "cut":
      case "cut well": {
        const remaining = below(random, lines.length)
        db.exec(`DELETE FROM events WHERE position > ${remaining}`)
        if (kind === "cut well") db.exec(`UPDATE sqlite_sequence SET seq = ${remaining} WHERE name = 'events'`)
        return { label: `${kind} behind ${remaining}`, positions: [] }
      }
      default: {
        const candidates = lines.flatMap((line, index) => index < covered && isNotTreeHead(line) ? [index] : [])
        const key = random() < 0.5 ? signers.own : signers.other
        const change = db.prepare("UPDATE events SET event_id = ?, data = ?, metadata = ? WHERE position = ?")
        rewrite(lines, pick(random, candidates, 0), key, signers.identifiers).forEach((text, index) => {
          const { data, id, metadata }: Line = JSON.parse(text)
          const bytes = Buffer.from(id.replaceAll("-", ""), "hex")
          change.run(bytes, JSON.stringify(data), JSON.stringify(metadata), index + 1)
        })
        return { label: `${kind} with ${key === signers.own ? "its" : "another"} key`, positions: [] }
      }
    }
  } finally {
    db.close()
  }
}

const insert = (db: DatabaseSync, { data, id, metadata, revision, stream, type }: Line, position: number) => {
  const { lastInsertRowid } = db.prepare("INSERT INTO streams(name, head) VALUES (?, 0)").run(stream)
  db.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, 0)").run(
    position,
    lastInsertRowid,
    revision,
    Buffer.from(id.replaceAll("-", ""), "hex"),
    type,
    JSON.stringify(data),
    JSON.stringify(metadata)
  )
}
