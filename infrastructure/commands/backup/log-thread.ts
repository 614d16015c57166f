import { closeSync, fdatasyncSync, fsyncSync, openSync } from "node:fs"
import { backup, DatabaseSync } from "node:sqlite"
import { openForReading } from "../../adapters/stores/sqlite/events/log-file.ts"
import { faultsOfPages } from "../../adapters/stores/sqlite/own-schema.ts"
import { serveThread } from "../../platform/threads/serve-thread.ts"

// The thread that copies and examines logs. Both keep SQLite busy for as long as the log is large, and on Deno the copy
// does not return to the event loop in between.

export interface LogContents {
  /** The format of the file. */
  readonly format: number
  /** Position of the last event, 0 when there is none. */
  readonly head: number
  readonly events: number
}

export type LogTask =
  /** Copies the log, as it is at one moment, to a file that exists and is empty. */
  | { readonly _tag: "Copy"; readonly from: string; readonly to: string }
  /** Checks whether a log is undamaged. */
  | { readonly _tag: "Examine"; readonly file: string }

export interface LogReport {
  readonly contents: LogContents
  /** The faults that SQLite found when it examined the log; none when the log is undamaged. */
  readonly faults: ReadonlyArray<string>
}

export interface PagesCopied {
  readonly done: number
  readonly total: number
}

/** 8 MiB of the log's pages. */
const PAGES_PER_STEP = 2_048

/** The most faults that are reported. */
const MAX_FAULTS = 3

const contentsOf = (log: DatabaseSync): LogContents => {
  const number = (sql: string): number => Number(Object.values(log.prepare(sql).get() ?? {})[0])
  return {
    format: number("SELECT value FROM meta WHERE key = 'format'"),
    head: number("SELECT coalesce(max(position), 0) FROM events"),
    events: number("SELECT count(*) FROM events")
  }
}

/** Takes the copy out of WAL mode: it becomes a single file that also opens on a read-only disk. */
const leaveWalMode = (file: string): void => {
  const copy = new DatabaseSync(file)
  try {
    copy.exec("PRAGMA journal_mode = DELETE")
  } finally {
    copy.close()
  }
}

const copyLog = async (from: string, to: string, progress: (pages: PagesCopied) => void): Promise<LogReport> => {
  const log = openForReading(from)
  const disk = openSync(to, "r+")
  try {
    // One read transaction for all steps. Without it the copy restarts whenever the service commits between two steps,
    // and never ends while a service is busy.
    log.exec("BEGIN")
    const contents = contentsOf(log)
    await backup(log, to, {
      rate: PAGES_PER_STEP,
      progress: ({ remainingPages, totalPages }) => {
        // Flushed step by step, because a commit of the service waits for other data on its way to the disk.
        fdatasyncSync(disk)
        progress({ done: totalPages - remainingPages, total: totalPages })
      }
    })
    leaveWalMode(to)
    fsyncSync(disk)
    return { contents, faults: [] }
  } finally {
    closeSync(disk)
    log.close()
  }
}

const examine = (file: string): LogReport => {
  const log = openForReading(file)
  try {
    return { contents: contentsOf(log), faults: faultsOfPages(log, MAX_FAULTS) }
  } finally {
    log.close()
  }
}

serveThread<undefined, undefined, LogTask, LogReport, PagesCopied>(() => ({
  ready: undefined,
  answer: (task, progress) => task._tag === "Copy" ? copyLog(task.from, task.to, progress) : examine(task.file)
}))
