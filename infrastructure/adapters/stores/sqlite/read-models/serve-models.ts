import { DatabaseSync } from "node:sqlite"
import { serveThread } from "../../../../platform/threads/serve-thread.ts"
import { cacheSizeOf } from "../cache-size.ts"
import { openForCheckpoints } from "../events/log-file.ts"
import { type LogPages, openLogPages } from "../events/log-pages.ts"
import { type Applied, type FlatBatch, makeApplyBatch, type ModelBatch } from "./apply-batch.ts"
import type { Pending } from "../../../../../domain/log-proof/pending-block.ts"
import type { NextOfBlock, NextOfModel, ProjectedOfModel } from "./follow-log.ts"

// The thread that follows the log and applies batches under load, and moves the write-ahead logs into the files. It reads the
// events itself: to send events or their writes to a thread takes longer than to read and project them again. Requests and
// the writer of the log get the processors first.

export interface ModelWriterFiles {
  /** The file of the read models. */
  readonly models: string
  /** The file of the log; undefined when the log is on a server. */
  readonly log: string | undefined
}

/** A batch to apply, models to bring forward, or a block to extend. */
export type ModelQuestion =
  | { readonly _tag: "apply"; readonly batch: ModelBatch }
  | { readonly _tag: "project"; readonly next: ReadonlyArray<NextOfModel> }
  | { readonly _tag: "extend"; readonly next: NextOfBlock }
export type ModelAnswer =
  | { readonly _tag: "applied"; readonly applied: Applied }
  | { readonly _tag: "projected"; readonly projected: ReadonlyArray<ProjectedOfModel> }
  | { readonly _tag: "extended"; readonly pending: Pending }

/**
 * The shortest pause between two checkpoints of the write-ahead logs, in milliseconds. In a large log a checkpoint flushes
 * pages at random places, and appends wait for that flush: with pauses of 250 ms an append waited 60 ms, with 60 ms it waits 15.
 */
const LEAST_PAUSE = 60

/** On a slow disk the pauses are this many times as long as the checkpoints. */
const PAUSES = 3

/** What a thread with the projections can do. */
export interface FollowLog {
  readonly project: (next: ReadonlyArray<NextOfModel>) => ReadonlyArray<ProjectedOfModel>
  readonly extend: (next: NextOfBlock) => Pending
}

/** Makes what follows the log. */
export type MakeFollowLog = (pages: LogPages, apply: (model: string, batch: FlatBatch) => Applied) => FollowLog

/** Runs the thread. Without `makeFollowLog` it applies batches only. */
export const serveModels = (makeFollowLog?: MakeFollowLog): void =>
  serveThread<ModelWriterFiles, void, ModelQuestion, ModelAnswer>(({ log, models }) => {
    const database = new DatabaseSync(models)
    database.exec("PRAGMA busy_timeout = 10000; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0")
    database.exec(`PRAGMA cache_size = ${cacheSizeOf(models)}; PRAGMA temp_store = MEMORY`)
    const apply = makeApplyBatch(database)
    const pages = log === undefined ? undefined : openLogPages(log)
    const follow = pages === undefined ? undefined : makeFollowLog?.(pages, apply)
    // The writer of the log would make its checkpoints between appends, which would wait for all of a checkpoint.
    const written = log === undefined ? [database] : [database, openForCheckpoints(log)]
    const stopCheckpoints = repeatWithPauses(() => written.forEach(checkpoint))
    return {
      ready: undefined,
      answer: (question) => {
        if (question._tag === "apply") {
          return { _tag: "applied", applied: apply(question.batch.model, question.batch.batch) }
        }
        if (follow === undefined) throw new Error("the thread of the read models does not follow the log")
        return question._tag === "project"
          ? { _tag: "projected", projected: follow.project(question.next) }
          : { _tag: "extended", pending: follow.extend(question.next) }
      },
      close: () => {
        stopCheckpoints()
        pages?.close()
        for (const each of written) each.close()
      }
    }
  }, { inBackground: true })

/** Runs work again and again. Returns what ends that. */
const repeatWithPauses = (work: () => void): () => void => {
  let timer: NodeJS.Timeout | undefined
  const waitFor = (millis: number) => {
    timer = setTimeout(() => {
      const started = performance.now()
      work()
      waitFor(Math.max(LEAST_PAUSE, PAUSES * (performance.now() - started)))
    }, millis)
  }
  waitFor(LEAST_PAUSE)
  return () => clearTimeout(timer)
}

const checkpoint = (database: DatabaseSync): void => {
  try {
    database.exec("PRAGMA wal_checkpoint(PASSIVE)")
  } catch {
    // The file is busy or being replaced: the next checkpoint, or closing the file, does the work.
  }
}
