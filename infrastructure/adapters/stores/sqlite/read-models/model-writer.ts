import { Effect } from "effect"
import { type Done, startThread, type Thread } from "../../../../platform/threads/start-thread.ts"
import type { Applied, FlatBatch } from "./apply-batch.ts"
import type { ModelAnswer, ModelQuestion, ModelWriterFiles } from "./serve-models.ts"
import type { Pending } from "../../../../../domain/log-proof/pending-block.ts"
import type { NextOfBlock, NextOfModel, ProjectedOfModel } from "./follow-log.ts"

/** Applies batches and follows the log in a thread that is started under load. */
export interface ModelWriter {
  /** Counts writes that were applied in place. Enough of them start the thread, for the batches after it is ready. */
  readonly countWrites: (writes: number) => void
  readonly isReady: () => boolean
  /** Starts the thread now, and waits until it is ready or has failed. */
  readonly start: Effect.Effect<void>
  readonly apply: (model: string, batch: FlatBatch, done: Done<Applied>) => void
  /** Whether the thread can read the log. */
  readonly canFollow: boolean
  /** Projects the next events for a model and applies their writes. Calls of the same turn are one question. */
  readonly project: (next: NextOfModel, done: Done<ProjectedOfModel>) => void
  /** Adds the next events to the block of the next tree head. */
  readonly extend: (next: NextOfBlock, done: Done<Pending>) => void
  /**
   * Fails every pending batch, also one that took effect, and lets the thread close. The caller has deleted the file by
   * then: SQLite deletes the write-ahead log by its name when it closes, and must not delete that of the next file.
   */
  readonly abandon: () => void
  /** Applies the pending batches and ends the thread. */
  readonly close: Effect.Effect<void>
}

type WriterThread = Thread<void, ModelQuestion, ModelAnswer>

/** Some megabytes. Fewer writes keep no request waiting, and need no thread. */
const WRITES_BEFORE_START = 5_000

/**
 * Starts the thread after `startAfter` writes. A batch takes milliseconds, and a checkpoint of the write-ahead log more:
 * on the main thread every request would wait for both. When the thread dies, the pending batches fail, and after as
 * many writes again another thread starts.
 */
export const makeModelWriter = (files: ModelWriterFiles, startAfter = WRITES_BEFORE_START): ModelWriter => {
  let written = 0
  let thread: WriterThread | undefined
  let isOpen = false

  const running = () => thread?.failure() === undefined ? thread : undefined

  const ask = (question: ModelQuestion, done: Done<ModelAnswer>) => {
    const to = running()
    if (to === undefined) done(new Error("the thread of the read models is not running"))
    else to.ask(question, done)
  }
  /** What `read` finds in the answer. */
  const answered = <A>(done: Done<A>, read: (answer: ModelAnswer) => A | undefined): Done<ModelAnswer> => (answer) =>
    done(answer instanceof Error ? answer : read(answer) ?? new Error("the thread gave another answer"))

  let wanted: Array<{ readonly next: NextOfModel; readonly done: Done<ProjectedOfModel> }> = []
  const askForWanted = () => {
    const asked = wanted
    wanted = []
    ask(
      { _tag: "project", next: asked.map(({ next }) => next) },
      (answer) =>
        asked.forEach(({ done }, index) =>
          answered(done, (answer) => answer._tag === "projected" ? answer.projected[index] : undefined)(answer)
        )
    )
  }

  const start = (): WriterThread => {
    const started: WriterThread = startThread({
      script: files.log === undefined
        ? new URL("./model-writer-thread.ts", import.meta.url)
        : new URL("./log-follower-thread.ts", import.meta.url),
      name: "read-models",
      data: files,
      // The thread keeps no object for long: a young generation of the usual size would only take memory.
      limits: { maxYoungGenerationSizeMb: 4 }
    })
    thread = started
    isOpen = false
    started.ready.then(() => {
      if (thread === started) isOpen = true
    }, () => {})
    return started
  }

  return {
    countWrites: (writes) => {
      written = running() === undefined ? written + writes : 0
      if (written <= startAfter) return
      written = 0
      try {
        start()
      } catch {
        // The runtime can start no more threads: batches are applied in place, and a later count tries again.
      }
    },
    isReady: () => isOpen && running() !== undefined,
    start: Effect.suspend(() => Effect.ignore(Effect.tryPromise(() => (running() ?? start()).ready))),
    apply: (model, batch, done) =>
      ask(
        { _tag: "apply", batch: { model, batch } },
        answered(done, (answer) => answer._tag === "applied" ? answer.applied : undefined)
      ),
    canFollow: files.log !== undefined,
    // Hot path: the models that ask in one turn are one message, and share the events. Guarded by `npm run bench -- http`.
    project: (next, done) => {
      if (wanted.length === 0) setImmediate(askForWanted)
      wanted.push({ next, done })
    },
    extend: (next, done) =>
      ask(
        { _tag: "extend", next },
        answered(done, (answer) => answer._tag === "extended" ? answer.pending : undefined)
      ),
    abandon: () => running()?.abandon(),
    close: Effect.suspend(() => {
      const ending = running()
      if (ending === undefined) return Effect.void
      return Effect.promise(() => ending.close()).pipe(
        Effect.timeoutOption("2 seconds"),
        Effect.andThen(Effect.promise(() => ending.terminate()))
      )
    })
  }
}
