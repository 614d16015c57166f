import { Data, Effect } from "effect"
import { statSync } from "node:fs"
import { askThread } from "../../../platform/threads/ask-thread.ts"
import { startThread, type Thread } from "../../../platform/threads/start-thread.ts"
import { type Examination, examine } from "./examine-pages.ts"

/** A tenth of a second. To start a thread takes as long. */
const MOST_HERE = 16 * 2 ** 20

/**
 * Whether every page of a file is undamaged, and every index shows the rows of its table. Returns the faults. SQLite is busy
 * for as long as the file is large, so a thread examines a large one. Fails when the file cannot be read.
 */
export const examineFile = (examination: Examination): Effect.Effect<ReadonlyArray<string>, NotExamined> =>
  Effect.suspend(() =>
    (statSync(examination.file, { throwIfNoEntry: false })?.size ?? 0) <= MOST_HERE
      ? Effect.try({ try: () => examine(examination), catch: notExamined })
      : examineInThread(examination)
  )

const examineInThread = (examination: Examination) =>
  Effect.acquireUseRelease(
    Effect.try({
      try: (): Thread<undefined, Examination, ReadonlyArray<string>> =>
        startThread({
          script: new URL("./examine-file-thread.ts", import.meta.url),
          name: "examine-file",
          data: undefined
        }),
      catch: notExamined
    }),
    (thread) => Effect.mapError(askThread(thread, examination), notExamined),
    // Not awaited: the thread ends once SQLite returns, and nothing depends on it.
    (thread) => Effect.sync(() => void thread.terminate())
  )

/** The file cannot be read, or the thread ended. */
export class NotExamined extends Data.TaggedError("NotExamined")<{ readonly cause: unknown }> {}

const notExamined = (cause: unknown) => new NotExamined({ cause })
