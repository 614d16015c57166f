import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"

const script = fileURLToPath(new URL("../../../../../support/append-forever.ts", import.meta.url))

/** The command that appends to a log until it is killed, on the runtime of the test. */
export const appendForever = (file: string): readonly [command: string, ...args: ReadonlyArray<string>] => [
  process.execPath,
  ...("Deno" in globalThis ? ["run", "-A"] : []),
  script,
  file
]

/** Starts a command. Calls `onLines` with all lines of its output so far, after each new line. */
export const startProcess = (
  [command, ...args]: readonly [command: string, ...args: ReadonlyArray<string>],
  onLines: (lines: ReadonlyArray<string>, child: ChildProcess) => void = () => {}
): { readonly child: ChildProcess; readonly ended: Promise<ReadonlyArray<string>> } => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] })
  const lines: Array<string> = []
  let partial = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (partial + text).split("\n")
    partial = parts.pop() ?? ""
    lines.push(...parts)
    onLines(lines, child)
  })
  return { child, ended: once(child, "close").then(() => lines) }
}

/** The ids in the `ack` lines. */
export const acknowledged = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.flatMap((line) => line.startsWith("ack ") ? line.split(" ")[2]?.split(",") ?? [] : [])

/** The faults of a log after its process has ended; empty for an intact log. */
export const faultsOf = (file: string, acknowledgedIds: ReadonlyArray<string>): ReadonlyArray<string> => {
  const db = new DatabaseSync(file)
  try {
    const integrity = db.prepare("PRAGMA integrity_check").all().map((row) => String(Object.values(row)[0]))
    const ids = new Set(db.prepare("SELECT event_id FROM event_log").all().map((row) => row["event_id"]))
    const lost = acknowledgedIds.filter((id) => !ids.has(id.replaceAll("-", "")))
    const gaps = db.prepare(
      `SELECT name FROM streams LEFT JOIN events ON events.stream_id = streams.id
       GROUP BY streams.id HAVING count(events.position) != head + 1 OR max(revision) != head OR min(revision) != 0`
    ).all()
    const torn = db.prepare(
      `SELECT data ->> 'batch' AS batch FROM events GROUP BY batch HAVING count(*) != max(data ->> 'size')`
    ).all()
    return [
      ...integrity.filter((line) => line !== "ok"),
      ...lost.map((id) => `lost: ${id}`),
      ...gaps.map((row) => `gap in ${row["name"]}`),
      ...torn.map((row) => `torn: ${row["batch"]}`)
    ]
  } finally {
    db.close()
  }
}
