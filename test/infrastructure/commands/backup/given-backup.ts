import { Effect } from "effect"
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { openForWriting } from "../../../../infrastructure/adapters/stores/sqlite/events/log-file.ts"
import { eventsFile } from "../../../../infrastructure/runtime/data-folder.ts"
import { type Ended, endOf } from "../../../support/command.ts"
import { startSliptrail } from "../../../support/process.ts"
import type { Env } from "../../../support/service.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"
import { runJson } from "../../../support/in-process.ts"

/** A data folder with a service in its log, in a temporary folder. */
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

/** A `sliptrail` process, on the runtime of the test. */
export interface Started {
  /** Sends a signal if the process still runs. */
  readonly signal: (name: "SIGTERM" | "SIGKILL") => void
  readonly ended: Promise<Ended>
}

/** Starts a process with only these settings, optionally through a wrapper command. It is killed when the scope closes. */
export const start = (args: ReadonlyArray<string>, env: Env, wrapper: ReadonlyArray<string> = []) =>
  Effect.acquireRelease(
    Effect.sync((): Started => {
      const child = startSliptrail(args, { env, wrapper })
      let isRunning = true
      child.once("exit", () => {
        isRunning = false
      })
      const ended = endOf(child)
      // Does not use child.kill, because Deno then reports an exit by the signal, regardless of the exit code.
      const signal = (name: "SIGTERM" | "SIGKILL") => void (isRunning && process.kill(child.pid ?? 0, name))
      return { ended, signal }
    }),
    ({ ended, signal }) => {
      signal("SIGKILL")
      return Effect.promise(() => ended)
    }
  )

/** Writes a log of `mebibytes` MiB of meaningless events. */
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
