import { Clock, Effect, Fiber, type Scope } from "effect"
import { startWorker, WorkerError, type WorkerOptions, type WorkerThread } from "./worker-thread.ts"

export interface PoolOptions<Input, Output> extends WorkerOptions {
  /** Most threads, with those that were stopped and still run native code. They hold memory until they have ended. */
  readonly most: number
  /** How long a worker may take for one input, its start included. */
  readonly deadlineMillis: number
  /** How long the pool keeps an idle worker. */
  readonly idleMillis: number
  /** Whether the pool stops a worker after this input, because the worker holds too much memory by then. */
  readonly stopsAfter: (input: Input, output: Output) => boolean
}

/** A worker that gave no output: it failed, exceeded the deadline, or its caller left. */
export interface StoppedWorker {
  /** How long the worker had the input, in milliseconds. */
  readonly tookMillis: number
  /** Resolves when the thread has ended; undefined when no native code delays the end. */
  readonly delayedEnd: Promise<unknown> | undefined
}

export interface WorkerPool<Input, Output> {
  /**
   * Sends an input to an idle worker, or to a new one. Interruption stops the worker. `onStopped` is called before the
   * effect ends when a worker got the input and gave no output.
   */
  readonly run: (
    input: Input,
    transfer: ReadonlyArray<ArrayBuffer>,
    onStopped?: (stopped: StoppedWorker) => void
  ) => Effect.Effect<Output, WorkerError>
}

/**
 * A pool of worker threads for work that may never end. Each worker has one input at a time; the caller limits how many
 * inputs there are. A worker that exceeds the deadline, fails or is interrupted is terminated: nothing else stops code
 * that never yields. The next input starts a new worker. When stopped workers still take all threads, it waits for one to
 * end, at most as long as an input may take.
 */
export const makeWorkerPool = Effect.fnUntraced(function* <Input, Output>(
  options: PoolOptions<Input, Output>
): Effect.fn.Return<WorkerPool<Input, Output>, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const workers = new Set<WorkerThread<Input, Output>>()
  const idle: Array<IdleWorker<Input, Output>> = []

  yield* Effect.addFinalizer(() =>
    Effect.promise(() => {
      workers.forEach((worker) => worker.stop())
      return Promise.all([...workers].map((worker) => worker.ended))
    })
  )

  const start = () => {
    const worker = startWorker<Input, Output>(options)
    workers.add(worker)
    void worker.ended.then(() => workers.delete(worker))
    return worker
  }

  /** Takes the worker that became idle last, so that the others can reach their idle timeout. */
  const take = Effect.gen(function* () {
    while (true) {
      const last = idle.pop()
      if (last === undefined) return { worker: start(), since: yield* Clock.currentTimeMillis }
      yield* Fiber.interrupt(last.timeout)
      if (last.worker.isAlive()) return { worker: last.worker, since: yield* Clock.currentTimeMillis }
    }
  })

  const keepIdle = Effect.fnUntraced(function* (worker: WorkerThread<Input, Output>) {
    const stopIdle = Effect.sync(() => {
      const at = idle.findIndex((other) => other.worker === worker)
      if (at < 0) return
      idle.splice(at, 1)
      worker.stop()
    })
    const timeout = yield* Effect.sleep(options.idleMillis).pipe(Effect.andThen(stopIdle), Effect.forkIn(scope))
    idle.push({ worker, timeout })
  })

  const awaitThread = Effect.timeoutOrElse(
    Effect.promise(() => Promise.race([...workers].map((worker) => worker.ended))),
    { duration: options.deadlineMillis, orElse: () => Effect.fail(new WorkerError({ reason: "deadline" })) }
  )
  const hasThread = () => workers.size < options.most || idle.some(({ worker }) => worker.isAlive())
  const untilThread: Effect.Effect<void, WorkerError> = Effect.suspend(() =>
    hasThread() ? Effect.void : Effect.andThen(awaitThread, untilThread)
  )

  const run: WorkerPool<Input, Output>["run"] = (input, transfer, onStopped = () => {}) =>
    Effect.acquireUseRelease(
      take,
      ({ worker }) =>
        Effect.timeoutOrElse(worker.ask(input, transfer), {
          duration: options.deadlineMillis,
          orElse: () => Effect.fail(new WorkerError({ reason: "deadline" }))
        }),
      Effect.fnUntraced(function* ({ since, worker }, exit) {
        if (exit._tag === "Success" && worker.isAlive() && !options.stopsAfter(input, exit.value)) {
          return yield* keepIdle(worker)
        }
        const isDelayed = worker.stop()
        if (exit._tag === "Success") return
        const tookMillis = (yield* Clock.currentTimeMillis) - since
        onStopped({ tookMillis, delayedEnd: isDelayed ? worker.ended : undefined })
      })
    )
  return { run: (...ask) => Effect.andThen(untilThread, run(...ask)) }
})

interface IdleWorker<Input, Output> {
  readonly worker: WorkerThread<Input, Output>
  /** Stops the worker after `idleMillis`. */
  readonly timeout: Fiber.Fiber<void>
}
