import { Effect } from "effect"
import { hash } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { examineStored, logIn } from "../../test/support/signed-log.ts"
import { readKeyOf } from "./filled-log.ts"
import type { Task, TaskReport } from "./messages.ts"

// Verifies the log in a folder, in a separate process: `examine-process.ts FOLDER`.

const [, , folder = ""] = process.argv
const log = logIn(folder, readKeyOf(folder))

const PAGE = 500

/** The baseline: reads the same bytes with node:sqlite and hashes them, one event at a time. */
const hashAll = (): number => {
  const db = new DatabaseSync(log.events, { readOnly: true })
  const page = db.prepare(
    "SELECT position, name || type || data || metadata AS bytes FROM events JOIN streams ON streams.id = stream_id WHERE position > ? LIMIT ?"
  )
  let [events, position] = [0, 0]
  while (true) {
    const rows = page.all(position, PAGE)
    for (const row of rows) {
      hash("sha256", String(row["bytes"]), "buffer")
      position = Number(row["position"])
    }
    events += rows.length
    if (rows.length < PAGE) break
  }
  db.close()
  return events
}

const run = async ({ task }: Task): Promise<TaskReport> => {
  const started = performance.now()
  if (task === "hash") return { events: hashAll(), isWhole: true, millis: performance.now() - started }
  const { events, isWhole } = await Effect.runPromise(examineStored(log))
  return { events, isWhole, millis: performance.now() - started }
}

process.on("message", (task: Task) => void run(task).then((report) => process.send?.(report)))
