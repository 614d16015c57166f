import { Worker } from "node:worker_threads"
import { Data, Effect } from "effect"
import { makeStanding, type Standing, stopAt } from "./native-section.ts"

/**
 * Why there is no output.
 *
 * - `busy`: too many others wait already
 * - `deadline`: the worker took too long and was ended
 * - `out-of-memory`, `crashed`: the worker died of this input, or could not start
 */
export class PoolError extends Data.TaggedError("PoolError")<{
  readonly reason: "busy" | "deadline" | "out-of-memory" | "crashed"
  readonly cause?: unknown
}> {}

export interface HandOptions {
  /**
   * The module that the thread runs; its `workerData` is `ThreadData`. It answers every `{ id, input }` with
   * `{ id, output }`, and says `{ left: true }` when it left native code after it was stopped.
   */
  readonly script: URL
  /** What the module is to do. */
  readonly role: string
  /** Most memory of the thread's JavaScript objects, in MiB; it dies of more. Buffers don't count. */
  readonly heapMiB: number
}

export interface ThreadData {
  readonly role: string
  readonly standing: Standing
}

/** One worker thread, asked one thing at a time. */
export interface Hand<Input, Output> {
  readonly ask: (input: Input, transfer: ReadonlyArray<ArrayBuffer>) => Effect.Effect<Output, PoolError>
  readonly isAlive: () => boolean
  /** Stops the thread wherever it is, or as soon as native code that it called has come to its own end. */
  readonly end: () => void
  /** Settles when the thread is gone. */
  readonly gone: Promise<void>
}

/** Starts a worker thread. A thread that can't start fails the first thing that it is asked. */
export const engage = <Input, Output>(options: HandOptions): Hand<Input, Output> => {
  let death: PoolError | undefined
  let question: Question<Output> | undefined
  let lastId = 0
  const standing = makeStanding()

  const die = (error: PoolError) => {
    death ??= error
    question?.resume(Effect.fail(death))
  }

  const worker = new Worker(options.script, {
    workerData: { role: options.role, standing } satisfies ThreadData,
    resourceLimits: { maxOldGenerationSizeMb: options.heapMiB, maxYoungGenerationSizeMb: 8 }
  })
  let goes = () => {}
  const gone = new Promise<void>((resolve) => {
    goes = resolve
  })
  const terminate = () => void worker.terminate().finally(goes)

  worker.on("message", (answer: Answer<Output>) => {
    if ("left" in answer) return terminate()
    // Deno delivers the last message of a port again when the port closes.
    if (answer.id === question?.id) question.resume(Effect.succeed(answer.output))
  })
  worker.on("messageerror", (cause) => die(new PoolError({ reason: "crashed", cause })))
  worker.on("error", (cause) => {
    die(new PoolError({ reason: isOutOfMemory(cause) ? "out-of-memory" : "crashed", cause }))
  })
  worker.on("exit", (code) => {
    die(new PoolError({ reason: "crashed", cause: `exit ${code}` }))
    goes()
  })

  return {
    ask: (input, transfer) =>
      Effect.callback((resume) => {
        if (death !== undefined) return resume(Effect.fail(death))
        const id = ++lastId
        question = { id, resume }
        worker.postMessage({ id, input }, [...transfer])
        return Effect.sync(() => {
          question = undefined
        })
      }),
    isAlive: () => death === undefined,
    end: () => {
      death ??= new PoolError({ reason: "crashed", cause: "ended" })
      if (stopAt(standing)) terminate()
    },
    gone
  }
}

interface Question<Output> {
  readonly id: number
  readonly resume: (outcome: Effect.Effect<Output, PoolError>) => void
}

type Answer<Output> = { readonly id: number; readonly output: Output } | { readonly left: true }

const isOutOfMemory = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY"
