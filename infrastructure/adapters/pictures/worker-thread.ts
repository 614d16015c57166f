import { Data, Effect } from "effect"
import { askThread } from "../../platform/threads/ask-thread.ts"
import { startThread, ThreadEnded } from "../../platform/threads/start-thread.ts"
import { makeNativeState, type NativeState, stopNativeCalls } from "./native-section.ts"

/**
 * Why a worker gave no output.
 *
 * - `deadline`: the worker took too long and was stopped
 * - `out-of-memory`, `crashed`: the worker failed on this input, or could not start
 */
export class WorkerError extends Data.TaggedError("WorkerError")<{
  readonly reason: "deadline" | "out-of-memory" | "crashed"
  readonly cause?: unknown
}> {}

export interface WorkerOptions {
  /** The module that the thread runs: `serveThread` with `ThreadData`, inputs, outputs and `LeftNativeCode`. */
  readonly script: URL
  /** Selects the task of the thread, for a script that has several. */
  readonly role: string
  /** Most memory of the thread's JavaScript objects, in MiB. Buffers do not count. */
  readonly heapMiB: number
}

export interface ThreadData {
  readonly role: string
  readonly nativeState: NativeState
}

/** The progress that a thread reports when a native call ends after the thread was stopped. */
export type LeftNativeCode = "left native code"

/** A worker thread that processes one input at a time. */
export interface WorkerThread<Input, Output> {
  readonly ask: (input: Input, transfer: ReadonlyArray<ArrayBuffer>) => Effect.Effect<Output, WorkerError>
  readonly isAlive: () => boolean
  /**
   * Terminates the thread, after the native call that is running if there is one. Returns whether there is one, and the end
   * of the thread is not near.
   */
  readonly stop: () => boolean
  /** Resolves when the thread has ended. */
  readonly ended: Promise<unknown>
}

/** Starts a worker thread. A failure to start is reported by the first `ask`. */
export const startWorker = <Input, Output>({ heapMiB, role, script }: WorkerOptions): WorkerThread<Input, Output> => {
  const nativeState = makeNativeState()
  const thread = startThread<undefined, Input, Output, LeftNativeCode>({
    script,
    name: `pictures-${role}`,
    data: { role, nativeState } satisfies ThreadData,
    limits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: 8 }
  })
  let isStopped = false
  const terminate = () => void thread.terminate()

  return {
    ask: (input, transfer) =>
      Effect.mapError(askThread(thread, input, { transfer, onProgress: terminate }), workerErrorOf),
    isAlive: () => !isStopped && thread.failure() === undefined,
    stop: () => {
      isStopped = true
      const isOutside = stopNativeCalls(nativeState)
      if (isOutside) terminate()
      return !isOutside && thread.failure() === undefined
    },
    ended: thread.ended
  }
}

const workerErrorOf = (error: Error): WorkerError => {
  const cause = error instanceof ThreadEnded ? error.cause ?? error : error
  const isOutOfMemory = cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY"
  return new WorkerError({ reason: isOutOfMemory ? "out-of-memory" : "crashed", cause })
}
