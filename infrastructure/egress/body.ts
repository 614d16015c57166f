import type { IncomingMessage } from "node:http"
import { Result } from "effect"
import { EgressError } from "../../ports/egress.ts"

/**
 * Reads a body up to `maxBytes`, then says `done` once: with the bytes, or with `too-large`. An answer that breaks off
 * goes to `giveUp`. Whoever calls ends the connection in either case.
 *
 * With `truncate` nothing more is waited for once `maxBytes` are there, so a body without an end costs no deadline.
 */
export const collect = (
  response: IncomingMessage,
  { maxBytes, overflow }: { readonly maxBytes: number; readonly overflow: "fail" | "truncate" },
  done: (body: Result.Result<Uint8Array, EgressError>) => void,
  giveUp: (cause: unknown) => void
): void => {
  const tooLarge = () =>
    done(Result.fail(new EgressError({ reason: "too-large", detail: `the body is over ${maxBytes} bytes` })))
  const chunks: Array<Uint8Array> = []
  let size = 0
  let ended = false

  if (overflow === "fail" && Number(response.headers["content-length"] ?? 0) > maxBytes) return tooLarge()
  if (overflow === "truncate" && maxBytes === 0) return done(Result.succeed(new Uint8Array()))
  response.on("data", (chunk: Uint8Array) => {
    if (ended) return
    chunks.push(chunk)
    size += chunk.byteLength
    ended = overflow === "fail" ? size > maxBytes : size >= maxBytes
    if (!ended) return
    if (overflow === "fail") return tooLarge()
    done(Result.succeed(join(chunks, maxBytes)))
  })
  response.on("end", () => {
    if (ended) return
    ended = true
    // Nothing that broke off may pass for whole, whichever way the runtime reports it.
    if (response.complete) done(Result.succeed(join(chunks, size)))
    else giveUp(new Error("the answer broke off"))
  })
}

const join = (chunks: ReadonlyArray<Uint8Array>, size: number): Uint8Array => {
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    const part = chunk.subarray(0, size - at)
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}
