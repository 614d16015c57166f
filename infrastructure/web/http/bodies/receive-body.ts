import { Data, Effect } from "effect"
import type { Readable } from "node:stream"
import { type Bucket, type Rate, takeTokens } from "../../../../ports/token-bucket.ts"
import type { BudgetRefusal, Reservation } from "./body-budget.ts"

/** Larger bodies are decoded in a thread and counted against the budgets. */
export const LARGE_BODY_BYTES = 64 * 1024

/** The body has too many bytes, or the caller disconnected. */
export class BodyUnread extends Data.TaggedError("BodyUnread")<{}> {}

/** No byte of the body arrived for too long. */
export class BodyStalled extends Data.TaggedError("BodyStalled")<{}> {}

/** The body does not fit into a budget. */
export class BodyOverBudget extends Data.TaggedError("BodyOverBudget")<{ readonly refusal: BudgetRefusal }> {}

/** The beginning of the body exceeds a limit of structures. */
export class BodyTooComplex extends Data.TaggedError("BodyTooComplex")<{ readonly fault: string }> {}

/** A compressed body is damaged or cut off. */
export class BodyDamaged extends Data.TaggedError("BodyDamaged")<{}> {}

export type Unread = BodyUnread | BodyStalled | BodyOverBudget | BodyTooComplex | BodyDamaged

export type Bytes = Uint8Array<ArrayBuffer>

/** The bytes of a body as they arrive. */
export interface Received {
  readonly add: (chunk: Buffer<ArrayBuffer>) => Unread | undefined
  readonly bytes: () => Bytes
}

const NOTHING = Buffer.alloc(0)

/**
 * A body whose length is announced and reserved. The bytes are written once: a large body is not copied again. Its memory
 * is taken once it is large, so that a body that is refused for its beginning takes none.
 */
export const ofLength = (length: number): Received => {
  let bytes = NOTHING
  let size = 0
  return {
    add: (chunk) => {
      const end = size + chunk.length
      if (end > length) return new BodyUnread()
      if (chunk.length === length && length <= LARGE_BODY_BYTES) {
        // Most bodies are small, and arrive in one chunk.
        bytes = chunk
      } else {
        if (size === 0) bytes = Buffer.allocUnsafeSlow(Math.min(length, 2 * LARGE_BODY_BYTES))
        if (end > bytes.length) {
          const start = bytes
          bytes = Buffer.allocUnsafeSlow(length)
          bytes.set(start.subarray(0, size))
        }
        bytes.set(chunk, size)
      }
      size = end
      return undefined
    },
    bytes: () => bytes.subarray(0, size)
  }
}

/** A body in chunks. Each chunk is reserved when it arrives, once the body is large. */
export const inChunks = (maxBytes: number, reservation: Reservation): Received => {
  const chunks: Array<Buffer<ArrayBuffer>> = []
  let size = 0
  let reserved = 0
  return {
    add: (chunk) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBytes) return new BodyUnread()
      if (size <= LARGE_BODY_BYTES) return undefined
      const refusal = reservation.add(size - reserved)
      reserved = size
      return refusal === undefined ? undefined : new BodyOverBudget({ refusal })
    },
    bytes: () => Buffer.concat(chunks)
  }
}

/** Checks the beginning of a large body, so that the rest of a body that would be refused anyway is not kept. */
export const checkingStart = (received: Received, faultOf: (start: Bytes) => string | undefined): Received => {
  let size = 0
  let isChecked = false
  return {
    ...received,
    add: (chunk) => {
      const refused = received.add(chunk)
      size += chunk.length
      if (refused !== undefined || isChecked || size <= LARGE_BODY_BYTES) return refused
      isChecked = true
      const fault = faultOf(received.bytes())
      return fault === undefined ? undefined : new BodyTooComplex({ fault })
    }
  }
}

/** Takes bytes from the allowance for bodies of refused requests; false when it is used up. */
export type DiscardAllowance = (bytes: number) => boolean

/** `rate` is in bytes. `now` is in milliseconds. */
export const makeDiscardAllowance = (rate: Rate, now: () => number): DiscardAllowance => {
  let bucket: Bucket | undefined
  return (bytes) => {
    const taken = takeTokens(rate, bucket, now(), { tokens: bytes, least: 1 })
    bucket = taken.bucket
    return taken.status.isAdmitted
  }
}

/** Keeps nothing, and ends after `maxBytes` or when the allowance is used up. */
const nothing = (maxBytes: number, allowance: DiscardAllowance): Received => {
  let size = 0
  return {
    add: (chunk) => {
      size += chunk.length
      return size > maxBytes || !allowance(chunk.length) ? new BodyUnread() : undefined
    },
    bytes: () => new Uint8Array()
  }
}

/**
 * Hot path: reads by the events of Node's stream, because a generic stream reader takes a tenth of a verification's time.
 * Guarded by `npm run bench -- http`.
 */
export const receive = (message: Readable, received: Received, idleMillis: number): Effect.Effect<Bytes, Unread> =>
  Effect.callback((resume) => {
    const onData = (chunk: Buffer<ArrayBuffer>) => {
      idle.refresh()
      const fault = received.add(chunk)
      if (fault !== undefined) finish(Effect.fail(fault))
    }
    const onEnd = () => finish(Effect.sync(received.bytes))
    // The stream closed before its end.
    const onClose = () => finish(Effect.fail(new BodyUnread()))
    const idle = setTimeout(() => finish(Effect.fail(new BodyStalled())), idleMillis)
    const unsubscribe = () => {
      clearTimeout(idle)
      message.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose)
    }
    const finish = (outcome: Effect.Effect<Bytes, Unread>) => {
      unsubscribe()
      // Without a reader a stream goes on, and drops what it reads. Paused, it keeps the caller from sending more.
      if (!message.readableEnded) message.pause()
      resume(outcome)
    }
    if (message.destroyed) return onClose()
    message.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose)
    if (message.isPaused()) message.resume()
    return Effect.sync(unsubscribe)
  })

export interface DiscardLimits {
  /** Of one body. */
  readonly maxBytes: number
  /** Of all bodies. */
  readonly allowance: DiscardAllowance
  /** How long the body may bring no byte. */
  readonly idleMillis: number
}

/** Reads and drops what is left of a body, within limits. */
export const discard = (
  message: Readable,
  { allowance, idleMillis, maxBytes }: DiscardLimits
): Effect.Effect<void> =>
  message.readableEnded ? Effect.void : Effect.ignore(receive(message, nothing(maxBytes, allowance), idleMillis))
