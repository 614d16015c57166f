import { Clock, Effect, Layer, Result } from "effect"
import { SlipReader, SlipReaderError } from "../../ports/slip-reader.ts"
import { checkHeader } from "./header.ts"
import type { ReaderKind, ReadOutcome, ReadTask } from "./reading.ts"
import { makeWorkerPool } from "./worker-pool.ts"
import type { WorkerError } from "./worker-thread.ts"

export interface SlipReaderOptions {
  readonly reader: ReaderKind
  /** Pictures that are decoded at the same time, each in its own thread. Default 2; a third gains 5 % on two cores. */
  readonly workers?: number
  /** Pictures that may wait for a worker. Default 32. */
  readonly maxWaiting?: number
  /** For one picture, without the time it waits for a worker. Default 5 000. */
  readonly deadlineMillis?: number
  /** An idle worker is stopped after this time, which frees its memory. Default 30 000. */
  readonly idleMillis?: number
}

/** Reads slips in worker threads. Threads start on demand and are stopped when stuck, broken or idle. */
export const layerSlipReader = (options: SlipReaderOptions): Layer.Layer<SlipReader> =>
  Layer.effect(
    SlipReader,
    Effect.gen(function* () {
      const pool = yield* makeWorkerPool<ReadTask, ReadOutcome>({
        script: new URL("./reading-thread.ts", import.meta.url),
        role: options.reader,
        size: options.workers ?? 2,
        maxWaiting: options.maxWaiting ?? 32,
        deadlineMillis: options.deadlineMillis ?? 5_000,
        idleMillis: options.idleMillis ?? 30_000,
        heapMiB: HEAP_MIB[options.reader],
        stopsAfter: ({ header }) => header.width * header.height > MAX_KEPT_PIXELS
      })

      const read = Effect.fnUntraced(function* (image: Uint8Array) {
        const started = yield* Clock.currentTimeMillis
        const checked = checkHeader(image)
        if (Result.isFailure(checked)) return yield* new SlipReaderError({ reason: checked.failure })
        const header = checked.success
        // A copy: transferring the caller's buffer to the thread would empty it.
        const bytes = Uint8Array.from(image)
        const outcome = yield* pool.run({ bytes, header }, [bytes.buffer]).pipe(Effect.mapError(asReaderError))
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

/** A worker is stopped after a larger picture: WebAssembly memory never shrinks. */
const MAX_KEPT_PIXELS = 8_000_000

/** Far more than a checked picture needs: a thread that reaches its limit quickly can crash the process. */
const HEAP_MIB = { native: 256, portable: 512 }

/** A picture that exhausts the memory counts as corrupt, so that callers do not retry it. */
const asReaderError = ({ cause, reason }: WorkerError): SlipReaderError =>
  new SlipReaderError({
    reason: reason === "crashed" ? "unavailable" : reason === "out-of-memory" ? "corrupt" : reason,
    ...(cause === undefined ? {} : { cause })
  })
