import { Effect } from "effect"
import type { Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { BodyDamaged, BodyStalled, BodyUnread, type Bytes, type Received, type Unread } from "./receive-body.ts"

/** The pieces in which a body is decompressed, in bytes. */
const PIECE_BYTES = 64 * 1024

export interface GzipLimits {
  /** Of the compressed body. `received` limits the other one. */
  readonly maxBytes: number
  /** How long the body may bring no byte. */
  readonly idleMillis: number
}

/**
 * Reads a body of `Content-Encoding: gzip`, and decompresses it as it arrives: `received` gets each piece, so a small body
 * that stands for a large one ends at the limits of the large one. Several gzip members after each other are one body.
 */
export const receiveGzip = (
  message: Readable,
  received: Received,
  { idleMillis, maxBytes }: GzipLimits
): Effect.Effect<Bytes, Unread> =>
  Effect.callback((resume) => {
    const gunzip = createGunzip({ chunkSize: PIECE_BYTES })
    let compressed = 0
    const onCompressed = (chunk: Buffer) => {
      idle.refresh()
      compressed += chunk.length
      if (compressed > maxBytes) finish(Effect.fail(new BodyUnread()))
    }
    const onPiece = (piece: Buffer<ArrayBuffer>) => {
      const fault = received.add(piece)
      if (fault !== undefined) finish(Effect.fail(fault))
    }
    const onEnd = () => finish(Effect.sync(received.bytes))
    const onDamage = () => finish(Effect.fail(new BodyDamaged()))
    const onClose = () => {
      // The rest is still decompressed after the end.
      if (!message.readableEnded) finish(Effect.fail(new BodyUnread()))
    }
    const idle = setTimeout(() => finish(Effect.fail(new BodyStalled())), idleMillis)
    const unsubscribe = () => {
      clearTimeout(idle)
      message.unpipe(gunzip)
      message.off("data", onCompressed).off("close", onClose).off("error", onClose)
      // An error may follow that no longer matters.
      gunzip.off("data", onPiece).off("end", onEnd).off("error", onDamage).on("error", () => {})
      gunzip.destroy()
    }
    const finish = (outcome: Effect.Effect<Bytes, Unread>) => {
      unsubscribe()
      if (!message.readableEnded) message.pause()
      resume(outcome)
    }
    if (message.destroyed) return finish(Effect.fail(new BodyUnread()))
    gunzip.on("data", onPiece).on("end", onEnd).on("error", onDamage)
    message.on("data", onCompressed).on("close", onClose).on("error", onClose).pipe(gunzip)
    return Effect.sync(unsubscribe)
  })
