import { Clock, Effect, Exit, Layer, Result } from "effect"
import { makeFairPermits, type NoPermit } from "../../../application/fairness/fair-permits.ts"
import { SlipReader, SlipReaderError } from "../../../ports/slip-reader.ts"
import { makeCpuBudget } from "./cpu-budget.ts"
import { checkStart } from "./header.ts"
import type { ReadAnswer, ReaderKind, UncheckedTask } from "./reading.ts"
import { makeWorkerPool, type StoppedWorker } from "./worker-pool.ts"
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
  /** The module of the reading threads. */
  readonly script?: URL
}

/** Reads slips in worker threads. Threads start on demand and are stopped when stuck, broken or idle. */
export const layerSlipReader = (options: SlipReaderOptions): Layer.Layer<SlipReader> =>
  Layer.effect(
    SlipReader,
    Effect.gen(function* () {
      const { deadlineMillis = 5_000, idleMillis = 30_000, maxWaiting = 32, maxWaitMillis = 10_000 } = options
      const { cpuMillisPerMinute = 0, reader, script = READING_THREAD, spareWorkers = 2, workers = 2 } = options
      const callSeconds = callSecondsOf(deadlineMillis)
      const pool = yield* makeWorkerPool<UncheckedTask, ReadAnswer>({
        script,
        role: reader,
        deadlineMillis,
        idleMillis,
        most: workers + spareWorkers + MAX_DELAYED_WORKERS,
        heapMiB: HEAP_MIB[reader],
        stopsAfter: (_, { decodedPixels }) => decodedPixels > MAX_KEPT_PIXELS
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

      /**
       * A worker that was stopped reports no CPU time, so its whole time is charged, also when the caller left. Until its
       * native code ends, the branch pays for it and it takes the place of a picture of the branch, and of no other branch.
       */
      const settleStopped = (branchId: string, clock: Clock.Clock) => ({ delayedEnd, tookMillis }: StoppedWorker) => {
        const stopped = clock.currentTimeMillisUnsafe()
        budget.charge(branchId, tookMillis, stopped)
        if (delayedEnd === undefined) return
        permits.occupy(branchId, delayedEnd)
        void delayedEnd.then(() => {
          const ended = clock.currentTimeMillisUnsafe()
          budget.charge(branchId, ended - stopped, ended)
        })
      }

      const charge = Effect.fnUntraced(function* (branchId: string, { cpuMillis }: ReadAnswer) {
        budget.charge(branchId, cpuMillis, yield* Clock.currentTimeMillis)
      })

      const readNow = Effect.fnUntraced(function* (image: Uint8Array, branchId: string) {
        // The pictures that were read while this one waited may have used up the budget.
        yield* checkBudget(branchId)
        // A copy: transferring the caller's buffer to the thread would empty it.
        const bytes = Uint8Array.from(image)
        const onStopped = settleStopped(branchId, yield* Clock.Clock)
        return yield* pool.run({ bytes, callSeconds }, [bytes.buffer], onStopped).pipe(
          Effect.onExit((exit) => Exit.isSuccess(exit) ? charge(branchId, exit.value) : Effect.void),
          Effect.mapError(asReaderError)
        )
      })

      const read = Effect.fnUntraced(function* (image: Uint8Array, branchId: string) {
        const started = yield* Clock.currentTimeMillis
        // The rest of the check takes as long as the picture is large: a thread does it, at the expense of the branch.
        const checked = checkStart(image)
        if (Result.isFailure(checked)) return yield* new SlipReaderError({ reason: checked.failure })
        yield* checkBudget(branchId)
        const { outcome } = yield* readNow(image, branchId).pipe(
          permits.withPermit(branchId),
          Effect.catchTag("NoPermit", (refused) => Effect.fail(asBusy(refused)))
        )
        if (outcome._tag === "Refused") {
          return yield* new SlipReaderError({ reason: outcome.reason, cause: outcome.why })
        }
        const tookMillis = (yield* Clock.currentTimeMillis) - started
        return { ...outcome.picture, ...outcome.findings, tookMillis }
      })
      return SlipReader.of({ read })
    })
  )

const READING_THREAD = new URL("./reading-thread.ts", import.meta.url)

/** The timeout of one call of libvips, in seconds. The whole picture ends at the deadline, so no call needs more. */
export const callSecondsOf = (deadlineMillis: number): number =>
  Math.min(Math.max(Math.ceil(deadlineMillis / 1_000), 1), MAX_CALL_SECONDS)

/** libvips accepts no longer timeout. */
const MAX_CALL_SECONDS = 3_600

/**
 * Most threads, beside those of the pictures that are read, that were stopped and still run native code. Each holds the memory
 * of a picture. A branch has at most as many as it has permits.
 */
const MAX_DELAYED_WORKERS = 8

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
