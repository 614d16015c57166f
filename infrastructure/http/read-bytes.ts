import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { Data, Effect } from "effect"
import type { Readable } from "node:stream"
import type { Exchange } from "./endpoint.ts"

/** There are more bytes than may be read, or the caller went away; then nobody reads the answer. */
export class BodyUnread extends Data.TaggedError("BodyUnread")<{}> {}

type Bytes = Uint8Array<ArrayBuffer>

/** The bytes of a body, at most `bodyBytes`. */
export const readBytes = ({ bodyBytes, headers, request }: Exchange): Effect.Effect<Bytes, BodyUnread> =>
  // Who asks whether it may send, or for another protocol, is understood by the server's own reader alone.
  headers["expect"] === undefined && headers["upgrade"] === undefined
    ? collect(toIncomingMessage(request), bodyBytes)
    : Effect.mapBoth(request.arrayBuffer, {
      onSuccess: (buffer) => new Uint8Array(buffer),
      onFailure: () => new BodyUnread()
    })

/** By the events of the runtime's own stream: a reader for any kind of stream takes a tenth of a verification's time. */
const collect = (message: Readable, most: number): Effect.Effect<Bytes, BodyUnread> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer<ArrayBuffer>> = []
    let size = 0
    const take = (chunk: Buffer<ArrayBuffer>) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > most) give(Effect.fail(new BodyUnread()))
    }
    const end = () => give(Effect.succeed(Buffer.concat(chunks)))
    // Closed without an end.
    const close = () => give(Effect.fail(new BodyUnread()))
    const leave = () => {
      message.off("data", take).off("end", end).off("close", close).off("error", close)
    }
    const give = (outcome: Effect.Effect<Bytes, BodyUnread>) => {
      leave()
      resume(outcome)
    }
    if (message.destroyed) return close()
    message.on("data", take).on("end", end).on("close", close).on("error", close)
    return Effect.sync(leave)
  })
