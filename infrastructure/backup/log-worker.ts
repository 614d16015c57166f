import { closeSync, fdatasyncSync, fsyncSync, openSync } from "node:fs"
import { backup, DatabaseSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"
import { openForReading } from "../stores/sqlite/events/log-file.ts"
import type { FromLog, LogContents, LogTask } from "./log-messages.ts"

// The thread that copies and examines logs: both keep SQLite busy for as long as the log is large, and on Deno the
// copy does not come back to the event loop in between.

/** 8 MiB of the log's pages. */
const PAGES_A_STEP = 2_048

/** Faults that are told; one is enough to know. */
const FAULTS = 3

const say = (message: FromLog): void => parentPort?.postMessage(message)

const contentsOf = (log: DatabaseSync): LogContents => {
  const number = (sql: string): number => Number(Object.values(log.prepare(sql).get() ?? {})[0])
  return {
    format: number("SELECT value FROM meta WHERE key = 'format'"),
    head: number("SELECT coalesce(max(position), 0) FROM events"),
    events: number("SELECT count(*) FROM events")
  }
}

/** Makes the copy a single file that also opens where nothing can be written: the log itself is in WAL mode. */
const settle = (file: string): void => {
  const copy = new DatabaseSync(file)
  try {
    copy.exec("PRAGMA journal_mode = DELETE")
  } finally {
    copy.close()
  }
}

const copyLog = async (from: string, to: string): Promise<LogContents> => {
  const log = openForReading(from)
  const disk = openSync(to, "r+")
  try {
    // One view for all steps. Without it the copy begins again whenever the service commits between two of them, and
    // beside a busy service it never ends.
    log.exec("BEGIN")
    const contents = contentsOf(log)
    await backup(log, to, {
      rate: PAGES_A_STEP,
      progress: ({ remainingPages, totalPages }) => {
        // Little by little: a flush of the service waits for whatever else is on its way to the disk.
        fdatasyncSync(disk)
        say({ _tag: "Copying", donePages: totalPages - remainingPages, pages: totalPages })
      }
    })
    settle(to)
    fsyncSync(disk)
    return contents
  } finally {
    closeSync(disk)
    log.close()
  }
}

const examine = (file: string): FromLog => {
  const log = openForReading(file)
  try {
    const found = log.prepare(`PRAGMA integrity_check(${FAULTS})`).all().map((row) => String(Object.values(row)[0]))
    return { _tag: "Examined", contents: contentsOf(log), faults: found.filter((line) => line !== "ok") }
  } finally {
    log.close()
  }
}

const work = async (task: LogTask): Promise<FromLog> =>
  task._tag === "Copy" ? { _tag: "Copied", contents: await copyLog(task.from, task.to) } : examine(task.file)

work(workerData as LogTask).then(
  say,
  (cause: unknown) => say({ _tag: "Failed", message: cause instanceof Error ? cause.message : String(cause) })
)
