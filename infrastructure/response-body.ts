import type { IncomingMessage } from "node:http"

export interface BodyLimit {
  readonly maxBytes: number
  /** `fail`: a longer body is reported as undefined. `truncate`: reading stops at `maxBytes`, so an endless body ends too. */
  readonly overflow: "fail" | "truncate"
}

/**
 * Reads the body of a response and calls one of the callbacks once: `done` with the bytes, or with undefined when the
 * body is too long; `broken` when the response ends early. The caller closes the connection.
 */
export const readBody = (
  response: IncomingMessage,
  { maxBytes, overflow }: BodyLimit,
  done: (bytes: Uint8Array | undefined) => void,
  broken: (cause: unknown) => void
): void => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  let isDone = false
  const once = (report: () => void) => {
    if (isDone) return
    isDone = true
    report()
  }
  const finish = () => done(new Uint8Array(Buffer.concat(chunks, Math.min(size, maxBytes))))

  // The listeners stay: a late error without a listener would end the process.
  response.on("error", (cause) => once(() => broken(cause)))
  if (overflow === "fail" && Number(response.headers["content-length"] ?? 0) > maxBytes) {
    return once(() => done(undefined))
  }
  if (overflow === "truncate" && maxBytes === 0) return once(finish)
  response.on("data", (chunk: Uint8Array) => {
    if (isDone) return
    chunks.push(chunk)
    size += chunk.byteLength
    if (overflow === "fail" && size > maxBytes) once(() => done(undefined))
    if (overflow === "truncate" && size >= maxBytes) once(finish)
  })
  // Runtimes report a broken response in different ways: `complete` is false in all of them.
  response.on("end", () => once(response.complete ? finish : () => broken(new Error("the response ended early"))))
  response.on("close", () => once(() => broken(new Error("the response ended early"))))
}
