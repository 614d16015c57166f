import { Effect } from "effect"
import { spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { openForWriting } from "../../../infrastructure/stores/sqlite/events/log-file.ts"
import { eventsFile } from "../../../infrastructure/runtime/data-folder.ts"
import { type Ended, endOf } from "../../support/command.ts"
import type { Env } from "../../support/service.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"
import { runJson } from "../../support/in-process.ts"

/** A data folder with a service in its log, in a folder of the test's own. */
export const givenData = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const dataDir = join(folder, "data")
  const env = { DATA_DIR: dataDir }
  const service = yield* runJson(["service", "create", "--name", "Shop"], env)
  return { folder, dataDir, env, service, at: (name: string) => join(folder, name) }
})

/** Every byte of every event of a log, and the heads of its streams. */
export const contentOf = (dataDir: string) => {
  const log = new DatabaseSync(eventsFile(dataDir), { readOnly: true })
  try {
    return {
      events: log.prepare(
        `SELECT position, stream_id, revision, hex(event_id) AS id, type, hex(data) AS data, hex(metadata) AS metadata,
         recorded_at FROM events ORDER BY position`
      ).all(),
      streams: log.prepare("SELECT id, name, head FROM streams ORDER BY id").all()
    }
  } finally {
    log.close()
  }
}

const main = fileURLToPath(new URL("../../../infrastructure/main.ts", import.meta.url))

/** A `sliptrail` that was started as a process, on the runtime that runs the test. */
export interface Started {
  /** Sends a signal, if it still runs. */
  readonly signal: (name: "SIGTERM" | "SIGKILL") => void
  readonly ended: Promise<Ended>
}

/** Starts it, with these settings alone; a command in front may put limits on it. It is killed with the scope. */
export const start = (args: ReadonlyArray<string>, env: Env, inFront: ReadonlyArray<string> = []) =>
  Effect.acquireRelease(
    Effect.sync((): Started => {
      const runtime = "Deno" in globalThis ? ["run", "-A"] : []
      const [command = "", ...rest] = [...inFront, process.execPath, ...runtime, main, ...args]
      const child = spawn(command, rest, {
        env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
        stdio: ["ignore", "pipe", "pipe"]
      })
      let isRunning = true
      child.once("exit", () => {
        isRunning = false
      })
      const ended = endOf(child)
      // Not child.kill: after it Deno reports the exit as one by the signal, whatever the exit code was.
      const signal = (name: "SIGTERM" | "SIGKILL") => void (isRunning && process.kill(child.pid ?? 0, name))
      return { ended, signal }
    }),
    ({ ended, signal }) => {
      signal("SIGKILL")
      return Effect.promise(() => ended)
    }
  )

/** A log of so many MiB without any meaning. */
export const fillLog = (file: string, mebibytes: number): void => {
  mkdirSync(dirname(file), { recursive: true })
  const log = openForWriting(file)
  try {
    log.exec("BEGIN; INSERT INTO streams(id, name, head) VALUES (1, 'filling-1', -1)")
    const add = log.prepare(
      `INSERT INTO events(stream_id, revision, event_id, type, data, metadata, recorded_at)
       VALUES (1, ?, randomblob(16), 'Filled', ?, '{}', 0)`
    )
    const data = JSON.stringify({ filling: "x".repeat(1024 ** 2 / 4) })
    for (let revision = 0; revision < mebibytes * 4; revision++) add.run(revision, data)
    log.exec("UPDATE streams SET head = (SELECT max(revision) FROM events); COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  } finally {
    log.close()
  }
}
