import type { IncomingMessage } from "node:http"
import { Result } from "effect"

/**
 * Reads a body to its end, as UTF-8, then says `done` once; what is longer than `maxBytes` fails with what it was. An
 * answer that breaks off goes to `broke`.
 */
export const readText = (
  response: IncomingMessage,
  maxBytes: number,
  done: (text: Result.Result<string, string>) => void,
  broke: (cause: unknown) => void
): void => {
  let isOver = false
  const end = (text: Result.Result<string, string>) => {
    if (isOver) return
    isOver = true
    done(text)
  }
  const tooLong = () => end(Result.fail(`more than ${maxBytes} bytes`))
  if (Number(response.headers["content-length"] ?? 0) > maxBytes) return tooLong()
  const chunks: Array<Uint8Array> = []
  let size = 0
  response.on("error", broke)
  response.on("data", (chunk: Uint8Array) => {
    size += chunk.byteLength
    if (size > maxBytes) return tooLong()
    chunks.push(chunk)
  })
  response.on("end", () => {
    // Nothing that broke off may pass for whole, whichever way the runtime reports it.
    if (response.complete) end(Result.succeed(utf8.decode(Buffer.concat(chunks))))
    else broke(undefined)
  })
  response.on("close", () => isOver || broke(undefined))
}

/** A byte order mark is kept: the text is evidence. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })
