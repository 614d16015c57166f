import { Clock, Effect, Exit, Layer, Result } from "effect"
import { makeFairPermits, type NoPermit } from "../../application/fairness/fair-permits.ts"
import { SlipReader, SlipReaderError } from "../../ports/slip-reader.ts"
import { makeCpuBudget } from "./cpu-budget.ts"
import { checkHeader } from "./header.ts"
import type { ReadAnswer, ReaderKind, ReadTask } from "./reading.ts"
import { makeWorkerPool } from "./worker-pool.ts"
import type { WorkerError } from "./worker-thread.ts"

export interface SlipReaderOptions {
  readonly reader: ReaderKind
  /** Pictures that are decoded at the same time, each in its own thread. Default 2; a third gains 5 % on two cores. */
  readonly workers?: number
  /** Additional threads for branches that have no picture in a thread. Default 2. */
  readonly spareWorkers?: number
  /** Pictures that may wait for a worker. Default 32. */
  readonly maxWaiting?: number
  /** How long a picture may wait for a worker. Default 10 000. */
  readonly maxWaitMillis?: number
  /** For one picture, without the time it waits for a worker. Default 5 000. */
  readonly deadlineMillis?: number
  /** An idle worker is stopped after this time, which frees its memory. Default 30 000. */
  readonly idleMillis?: number
  /** CPU time that each branch may use in a minute. Default 0: no limit. */
  readonly cpuMillisPerMinute?: number
}

/** Reads slips in worker threads. Threads start on demand and are stopped when stuck, broken or idle. */
export const layerSlipReader = (options: SlipReaderOptions): Layer.Layer<SlipReader> =>
  Layer.effect(
    SlipReader,
    Effect.gen(function* () {
      const { deadlineMillis = 5_000, idleMillis = 30_000, maxWaiting = 32, maxWaitMillis = 10_000 } = options
      const { cpuMillisPerMinute = 0, reader, spareWorkers = 2, workers = 2 } = options
      const callSeconds = callSecondsOf(deadlineMillis)
      const pool = yield* makeWorkerPool<ReadTask, ReadAnswer>({
        script: new URL("./reading-thread.ts", import.meta.url),
        role: reader,
        deadlineMillis,
        idleMillis,
        most: workers + spareWorkers,
        heapMiB: HEAP_MIB[reader],
        stopsAfter: ({ header }) => header.width * header.height > MAX_KEPT_PIXELS
      })
      const permits = makeFairPermits({
        size: workers,
        perKey: workers,
        spare: spareWorkers,
        maxWaiting,
        maxWait: maxWaitMillis
      })
      const budget = makeCpuBudget(cpuMillisPerMinute)

      const checkBudget = Effect.fnUntraced(function* (branchId: string) {
        const retryAfterSeconds = budget.retryAfterSeconds(branchId, yield* Clock.currentTimeMillis)
        if (retryAfterSeconds > 0) return yield* new SlipReaderError({ reason: "over-budget", retryAfterSeconds })
      })

      /** A worker that was stopped reports no CPU time, so its whole time is charged: also when the caller left. */
      const charge = Effect.fnUntraced(
        function* (branchId: string, started: number, exit: Exit.Exit<ReadAnswer, unknown>) {
          const now = yield* Clock.currentTimeMillis
          budget.charge(branchId, Exit.isSuccess(exit) ? exit.value.cpuMillis : now - started, now)
        }
      )

      const readNow = Effect.fnUntraced(function* (task: ReadTask, branchId: string) {
        // The pictures that were read while this one waited may have used up the budget.
        yield* checkBudget(branchId)
        const started = yield* Clock.currentTimeMillis
        // A copy: transferring the caller's buffer to the thread would empty it.
        const bytes = Uint8Array.from(task.bytes)
        return yield* pool.run({ ...task, bytes }, [bytes.buffer]).pipe(
          Effect.onExit((exit) => charge(branchId, started, exit)),
          Effect.mapError(asReaderError)
        )
      })

      const read = Effect.fnUntraced(function* (image: Uint8Array, branchId: string) {
        const started = yield* Clock.currentTimeMillis
        const checked = checkHeader(image)
        if (Result.isFailure(checked)) return yield* new SlipReaderError({ reason: checked.failure })
        const header = checked.success
        yield* checkBudget(branchId)
        const { outcome } = yield* readNow({ bytes: image, header, callSeconds }, branchId).pipe(
          permits.withPermit(branchId),
          Effect.catchTag("NoPermit", (refused) => Effect.fail(asBusy(refused)))
        )
        if (outcome._tag === "Refused") {
          return yield* new SlipReaderError({ reason: outcome.reason, cause: outcome.why })
        }
        const { format, height, width } = header
        const tookMillis = (yield* Clock.currentTimeMillis) - started
        return { format, width, height, ...outcome.findings, tookMillis }
      })
      return SlipReader.of({ read })
    })
  )

/** The timeout of one call of libvips, in seconds. The whole picture ends at the deadline, so no call needs more. */
export const callSecondsOf = (deadlineMillis: number): number =>
  Math.min(Math.max(Math.ceil(deadlineMillis / 1_000), 1), MAX_CALL_SECONDS)

/** libvips accepts no longer timeout. */
const MAX_CALL_SECONDS = 3_600

/** A worker is stopped after a larger picture: WebAssembly memory never shrinks. */
const MAX_KEPT_PIXELS = 8_000_000

/** Far more than a checked picture needs: a thread that reaches its limit quickly can crash the process. */
const HEAP_MIB = { native: 256, portable: 512 }

const asBusy = ({ reason }: NoPermit): SlipReaderError =>
  new SlipReaderError({ reason: reason === "own-share" ? "branch-busy" : "busy" })

/** A picture that exhausts the memory counts as corrupt, so that callers do not retry it. */
const asReaderError = ({ cause, reason }: WorkerError): SlipReaderError =>
  new SlipReaderError({
    reason: reason === "crashed" ? "unavailable" : reason === "out-of-memory" ? "corrupt" : reason,
    ...(cause === undefined ? {} : { cause })
  })
