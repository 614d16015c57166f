import { Worker } from "node:worker_threads"
import { Data, Effect } from "effect"
import { makeNativeState, type NativeState, stopNativeCalls } from "./native-section.ts"

/**
 * Why a worker gave no output.
 *
 * - `busy`: the queue is full
 * - `deadline`: the worker took too long and was stopped
 * - `out-of-memory`, `crashed`: the worker failed on this input, or could not start
 */
export class WorkerError extends Data.TaggedError("WorkerError")<{
  readonly reason: "busy" | "deadline" | "out-of-memory" | "crashed"
  readonly cause?: unknown
}> {}

export interface WorkerOptions {
  /**
   * The module that the thread runs. Its `workerData` is `ThreadData`. It answers each message `{ id, input }` with
   * `{ id, output }`. It sends `{ leftNativeCode: true }` when a native call ends after the thread was stopped.
   */
  readonly script: URL
  /** Tells a script with several tasks which one the thread has. */
  readonly role: string
  /** Most memory of the thread's JavaScript objects, in MiB. Buffers do not count. */
  readonly heapMiB: number
}

export interface ThreadData {
  readonly role: string
  readonly nativeState: NativeState
}

/** A worker thread that answers one question at a time. */
export interface WorkerThread<Input, Output> {
  readonly ask: (input: Input, transfer: ReadonlyArray<ArrayBuffer>) => Effect.Effect<Output, WorkerError>
  readonly isAlive: () => boolean
  /** Terminates the thread, after the native call that is running if there is one. */
  readonly stop: () => void
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>
}

/** Starts a worker thread. A failure to start is reported by the first `ask`. */
export const spawn = <Input, Output>(options: WorkerOptions): WorkerThread<Input, Output> => {
  let failure: WorkerError | undefined
  let question: Question<Output> | undefined
  let lastId = 0
  const nativeState = makeNativeState()
  let markEnded = () => {}
  const ended = new Promise<void>((resolve) => {
    markEnded = resolve
  })

  const fail = (error: WorkerError) => {
    failure ??= error
    question?.resume(Effect.fail(failure))
  }

  const worker = new Worker(options.script, {
    workerData: { role: options.role, nativeState } satisfies ThreadData,
    resourceLimits: { maxOldGenerationSizeMb: options.heapMiB, maxYoungGenerationSizeMb: 8 }
  })
  const terminate = () => void worker.terminate().finally(markEnded)

  worker.on("message", (answer: Answer<Output>) => {
    if ("leftNativeCode" in answer) return terminate()
    // Deno delivers the last message of a port again when the port closes.
    if (answer.id === question?.id) question.resume(Effect.succeed(answer.output))
  })
  worker.on("messageerror", (cause) => fail(new WorkerError({ reason: "crashed", cause })))
  worker.on("error", (cause) => {
    fail(new WorkerError({ reason: isOutOfMemory(cause) ? "out-of-memory" : "crashed", cause }))
  })
  worker.on("exit", (code) => {
    fail(new WorkerError({ reason: "crashed", cause: `exit ${code}` }))
    markEnded()
  })

  return {
    ask: (input, transfer) =>
      Effect.callback((resume) => {
        if (failure !== undefined) return resume(Effect.fail(failure))
        const id = ++lastId
        question = { id, resume }
        worker.postMessage({ id, input }, [...transfer])
        return Effect.sync(() => {
          question = undefined
        })
      }),
    isAlive: () => failure === undefined,
    stop: () => {
      failure ??= new WorkerError({ reason: "crashed", cause: "stopped" })
      if (stopNativeCalls(nativeState)) terminate()
    },
    ended
  }
}

interface Question<Output> {
  readonly id: number
  readonly resume: (outcome: Effect.Effect<Output, WorkerError>) => void
}

type Answer<Output> = { readonly id: number; readonly output: Output } | { readonly leftNativeCode: true }

const isOutOfMemory = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY"
