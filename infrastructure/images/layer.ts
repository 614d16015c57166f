import { Clock, Effect, Layer, Result } from "effect"
import { SlipReader, SlipReaderError } from "../../ports/slip-reader.ts"
import { guard } from "./guard.ts"
import type { PoolError } from "./hand.ts"
import { makePool } from "./pool.ts"
import type { Outcome, ReaderKind, Task } from "./task.ts"

export interface SlipReaderOptions {
  /** `native`: sharp and zxing-wasm. `portable`: image-js and jsQR, no native code; slower, reads fewer. */
  readonly reader: ReaderKind
  /** Pictures decoded at a time, each in a thread of its own. Default 2; a third gains little on few cores. */
  readonly workers?: number
  /** Pictures that may wait for a worker; one more is `busy`. Default 32. */
  readonly maxWaiting?: number
  /** For decoding and looking at one picture, waiting not included. Default 5 000. */
  readonly deadlineMillis?: number
  /** A worker that had no picture for so long gives its memory back. Default 30 000. */
  readonly idleMillis?: number
}

/** Reads slips in worker threads that are started when needed and ended when stuck, broken, worn out or idle. */
export const layerSlipReader = (options: SlipReaderOptions): Layer.Layer<SlipReader> =>
  Layer.effect(
    SlipReader,
    Effect.gen(function* () {
      const pool = yield* makePool<Task, Outcome>({
        script: new URL("./worker.ts", import.meta.url),
        role: options.reader,
        size: options.workers ?? 2,
        maxWaiting: options.maxWaiting ?? 32,
        deadlineMillis: options.deadlineMillis ?? 5_000,
        idleMillis: options.idleMillis ?? 30_000,
        heapMiB: HEAP_MIB[options.reader],
        wearsOut: ({ header }) => header.width * header.height > WEARING_PIXELS
      })

      const read = Effect.fnUntraced(function* (image: Uint8Array) {
        const started = yield* Clock.currentTimeMillis
        const judged = guard(image)
        if (Result.isFailure(judged)) return yield* new SlipReaderError({ reason: judged.failure })
        const header = judged.success
        // A copy, because what is handed to another thread is gone here, and these bytes are the caller's.
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

/** Beyond this many pixels WebAssembly memory, which never shrinks, has grown too far to be kept for the next one. */
const WEARING_PIXELS = 8_000_000

/**
 * A last resort well above what any picture takes that passes the guard: a thread that reaches it quickly may take
 * the process along.
 */
const HEAP_MIB = { native: 256, portable: 512 }

/** A picture that needs more memory than any real one counts as broken: asking again would not help. */
const asReaderError = ({ cause, reason }: PoolError): SlipReaderError =>
  new SlipReaderError({
    reason: reason === "crashed" ? "unavailable" : reason === "out-of-memory" ? "corrupt" : reason,
    ...(cause === undefined ? {} : { cause })
  })
