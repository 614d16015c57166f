import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Readable } from "node:stream"

/** What is needed of a request. */
interface Message extends Pick<Readable, "readableFlowing" | "readableLength"> {
  readonly headers: { readonly expect?: string | undefined }
  readonly httpVersion: string
}

/** The same test as Node's, which then emits `checkContinue` instead of `request`. */
const isContinueExpected = ({ headers, httpVersion }: Message): boolean =>
  headers.expect !== undefined && httpVersion === "1.1" && /(?:^|\W)100-continue(?:$|\W)/iu.test(headers.expect)

/** Whether the caller waits for `100 Continue`, and nothing of its body was read or has arrived without it. */
export const isWaitingForContinue = (message: Message): boolean =>
  isContinueExpected(message) && message.readableFlowing === null && message.readableLength === 0

/** Calls a listener for every request, also for those that expect `100 Continue`. */
export const onEveryRequest = (
  server: Server,
  listener: (request: IncomingMessage, response: ServerResponse) => void
): void => {
  server.on("request", listener)
  server.on("checkContinue", listener)
}
