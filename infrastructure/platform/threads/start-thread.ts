import { type ResourceLimits, Worker } from "node:worker_threads"
import { pack } from "./large-arrays.ts"
import type { FromThread, ToThread } from "./serve-thread.ts"

export interface ThreadOptions {
  /** The module that the thread runs; it calls `serveThread`. */
  readonly script: URL
  /** Names the thread in errors and in debuggers. */
  readonly name: string
  /** Cloned for the thread. */
  readonly data: unknown
  readonly limits?: ResourceLimits
}

/** A worker thread that answers questions. It keeps the process alive only while it has work. */
export interface Thread<Ready, Question, Answer, Progress = never> {
  /** Resolves when the thread can answer. Rejects with the reason when the thread ends before that. */
  readonly ready: Promise<Ready>
  /**
   * Sends a question, also before the thread is ready. `done` is called once, in its own turn of the event loop:
   * with the answer, or with the error when the question failed or the thread ended.
   */
  readonly ask: (question: Question, done: Done<Answer>, options?: AskOptions<Progress>) => void
  /** Why the thread ended; undefined while it runs. */
  readonly failure: () => ThreadEnded | undefined
  /** Resolves when the thread has ended, whether it was closed or not. */
  readonly ended: Promise<ThreadEnded>
  /** Lets the thread answer every question and release its resources, then terminates it. Never rejects. */
  readonly close: () => Promise<void>
  /** Fails every question now. The thread releases its resources in the background. */
  readonly abandon: () => void
  /** Ends the thread now, in the middle of a question too. Never rejects. */
  readonly terminate: () => Promise<void>
}

export type Done<Answer> = (outcome: Answer | Error) => void

export interface AskOptions<Progress> {
  /** Buffers that move to the thread: the caller cannot use them afterwards. */
  readonly transfer?: ReadonlyArray<ArrayBuffer>
  readonly onProgress?: (progress: Progress) => void
}

/** A thread ended; `cause` is the error that ended it, if there was one. */
export class ThreadEnded extends Error {}

interface Pending<Answer, Progress> {
  readonly key: number
  readonly done: Done<Answer>
  readonly onProgress: ((progress: Progress) => void) | undefined
}

/** Starts a worker thread. Throws when the runtime can start no more threads. */
export const startThread = <Ready, Question, Answer, Progress = never>(
  { data, limits, name, script }: ThreadOptions
): Thread<Ready, Question, Answer, Progress> => {
  const worker = new Worker(script, {
    name,
    workerData: data,
    ...(limits === undefined ? {} : { resourceLimits: limits })
  })
  /** A few. The tables of a map would keep answered questions alive for seconds: each points to the next one. */
  let pending: ReadonlyArray<Pending<Answer, Progress>> = []
  const ready = deferred<Ready>()
  const ended = deferred<ThreadEnded>()
  /** Messages that wait until the thread is ready: Deno drops messages that arrive before the thread listens. */
  let unsent: Array<() => void> | undefined = []
  let lastKey = 0
  let isClosing = false
  let failure: ThreadEnded | undefined

  // A caller that does not use `ready` gets the failure from its questions.
  ready.promise.catch(() => {})

  const post = (message: ToThread<Question>, transfer: ReadonlyArray<ArrayBuffer> = []): void => {
    if (unsent === undefined) worker.postMessage(message, [...transfer])
    else unsent.push(() => worker.postMessage(message, [...transfer]))
  }
  const pendingAt = (key: number) => pending.find((question) => question.key === key)
  const unrefIfIdle = (): void => {
    if (pending.length === 0 && unsent === undefined && !isClosing) worker.unref()
  }
  const settle = (key: number, outcome: Answer | Error): void => {
    const question = pendingAt(key)
    // The key is unknown when Deno delivers the last message of a port again as the port closes.
    if (question === undefined) return
    pending = pending.filter((other) => other !== question)
    unrefIfIdle()
    question.done(outcome)
  }
  const end = (error: ThreadEnded): void => {
    if (failure !== undefined) return
    failure = error
    ready.reject(error)
    // In a microtask, so that the owner has seen the end (`failure`) before it starts the next thread.
    queueMicrotask(() => {
      for (const { key } of pending) settle(key, error)
    })
  }
  const terminate = async (): Promise<void> => {
    end(new ThreadEnded(`the thread ${name} was terminated`))
    await worker.terminate().catch(() => {})
    ended.resolve(failure ?? new ThreadEnded(`the thread ${name} was terminated`))
  }

  worker.on("message", (message: FromThread<Ready, Answer, Progress>) => {
    switch (message._tag) {
      case "Ready": {
        const waiting = unsent ?? []
        unsent = undefined
        for (const send of waiting) send()
        unrefIfIdle()
        return ready.resolve(message.ready)
      }
      case "OpenFailed":
        end(new ThreadEnded(message.message))
        return void terminate()
      case "Progress":
        return pendingAt(message.key)?.onProgress?.(message.progress)
      case "Answered":
        return settle(message.key, message.answer)
      case "Failed":
        return settle(message.key, new Error(message.message))
      case "Closed":
        return void terminate()
    }
  })
  worker.on("error", (cause: unknown) => {
    const message = cause instanceof Error ? cause.message : String(cause)
    end(new ThreadEnded(`the thread ${name} crashed: ${message}`, { cause }))
  })
  worker.on("messageerror", (cause) => end(new ThreadEnded(`the thread ${name} sent an unreadable message`, { cause })))
  worker.on("exit", (code) => {
    end(new ThreadEnded(`the thread ${name} ended with ${code}`))
    ended.resolve(failure ?? new ThreadEnded(`the thread ${name} ended`))
  })

  const requestClose = (): void => {
    if (failure !== undefined || isClosing) return
    isClosing = true
    worker.ref()
    post({ _tag: "Close" })
  }

  return {
    ready: ready.promise,
    ask: (question, done, { onProgress, transfer } = {}) => {
      const error = failure
      if (error !== undefined) return queueMicrotask(() => done(error))
      const key = ++lastKey
      pending = [...pending, { key, done, onProgress }]
      worker.ref()
      post({ _tag: "Ask", key, ...pack(question, transfer ?? []) }, transfer)
    },
    failure: () => failure,
    ended: ended.promise,
    close: async () => {
      requestClose()
      await ended.promise
    },
    abandon: () => {
      requestClose()
      end(new ThreadEnded(`the thread ${name} was abandoned`))
    },
    terminate
  }
}

const deferred = <A>() => {
  let resolve = (_: A): void => {}
  let reject = (_: unknown): void => {}
  const promise = new Promise<A>((...settle) => {
    ;[resolve, reject] = settle
  })
  return { promise, resolve, reject }
}
