import type { IncomingMessage } from "node:http"

/**
 * Reads the body of a response and calls one of the callbacks once: `done` with the bytes, or with undefined when the
 * body is longer than `maxBytes`; `broken` when the response ends early. The caller closes the connection.
 */
export const readBody = (
  response: IncomingMessage,
  maxBytes: number,
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
  const finish = () => done(new Uint8Array(Buffer.concat(chunks, size)))

  // The listeners stay: a late error without a listener would end the process.
  response.on("error", (cause) => once(() => broken(cause)))
  if (Number(response.headers["content-length"] ?? 0) > maxBytes) return once(() => done(undefined))
  response.on("data", (chunk: Uint8Array) => {
    if (isDone) return
    chunks.push(chunk)
    size += chunk.byteLength
    if (size > maxBytes) once(() => done(undefined))
  })
  // Runtimes report a broken response in different ways: `complete` is false in all of them.
  response.on("end", () => once(response.complete ? finish : () => broken(new Error("the response ended early"))))
  response.on("close", () => once(() => broken(new Error("the response ended early"))))
}
