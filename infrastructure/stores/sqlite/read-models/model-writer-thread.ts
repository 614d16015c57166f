import { DatabaseSync } from "node:sqlite"
import { serveThread } from "../../../threads/serve-thread.ts"
import { type LogPages, openLogPages } from "../events/log-pages.ts"
import { type Applied, type FlatBatch, makeApplyBatch, type ModelBatch } from "./apply-batch.ts"
import type { Pending } from "../../../../domain/log-proof/pending-block.ts"
import type { NextOfBlock, NextOfModel, ProjectedOfModel } from "./follow-log.ts"

// The thread that follows the log and applies batches under load, and moves the write-ahead log into the file. It reads the
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

/** Milliseconds between two checkpoints of the write-ahead log. */
const CHECKPOINT_EVERY = 500

interface FollowLog {
  readonly project: (next: ReadonlyArray<NextOfModel>) => ReadonlyArray<ProjectedOfModel>
  readonly extend: (next: NextOfBlock) => Pending
}

/** The projections load Effect, which takes a quarter of a second and some megabytes. */
const followLog = async (
  pages: LogPages,
  apply: (model: string, batch: FlatBatch) => Applied
): Promise<FollowLog> => {
  const [{ makeExtendBlock, makeProjectLog }, { projections }] = await Promise.all([
    import("./follow-log.ts"),
    import("../../../../projections/models/all.ts")
  ])
  return { project: makeProjectLog(projections, pages, apply), extend: makeExtendBlock(pages) }
}

serveThread<ModelWriterFiles, void, ModelQuestion, ModelAnswer>(({ log, models }) => {
  const database = new DatabaseSync(models)
  database.exec("PRAGMA busy_timeout = 10000; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0")
  database.exec("PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY")
  const apply = makeApplyBatch(database)
  const pages = log === undefined ? undefined : openLogPages(log)
  let following: Promise<FollowLog> | undefined
  const timer = setInterval(() => {
    try {
      database.exec("PRAGMA wal_checkpoint(PASSIVE)")
    } catch {
      // The file is busy or being replaced: the next checkpoint, or closing the file, does the work.
    }
  }, CHECKPOINT_EVERY)
  return {
    ready: undefined,
    answer: (question) => {
      if (question._tag === "apply") {
        return { _tag: "applied", applied: apply(question.batch.model, question.batch.batch) }
      }
      if (pages === undefined) throw new Error("the thread of the read models has no log")
      following ??= followLog(pages, apply)
      return following.then(({ extend, project }): ModelAnswer =>
        question._tag === "project"
          ? { _tag: "projected", projected: project(question.next) }
          : { _tag: "extended", pending: extend(question.next) }
      )
    },
    close: () => {
      clearInterval(timer)
      pages?.close()
      database.close()
    }
  }
}, { inBackground: true })
