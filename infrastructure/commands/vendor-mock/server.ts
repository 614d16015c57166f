import { Data, Effect, FiberSet, type Scope } from "effect"
import http from "node:http"
import https from "node:https"
import type { SlipReader } from "../../../ports/slip-reader.ts"
import type { Identity } from "../receiver/identity.ts"
import { readBody } from "../../platform/response-body.ts"
import { answerControl, CONTROL_PATH, jsonAnswer } from "./control.ts"
import type { Answer } from "./faults.ts"
import type { Exchange, VendorMock } from "./mock.ts"

export interface MockServerOptions {
  /** With an identity the server speaks https, otherwise http. */
  readonly identity: Identity | undefined
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** Runs before a vendor's answer is sent. */
  readonly onExchange?: (exchange: Exchange) => Effect.Effect<void>
}

/** The server cannot listen. */
export class CannotListen extends Data.TaggedError("CannotListen")<{ readonly message: string }> {}

/**
 * Serves the vendors and returns the port. Works on Node's server directly, because some faults need the connection. The
 * end of the scope closes every connection at once, as the end of a process does.
 */
export const serveVendorMock = Effect.fnUntraced(function* (
  mock: VendorMock,
  { host, identity, onExchange = () => Effect.void, port }: MockServerOptions
): Effect.fn.Return<number, CannotListen, Scope.Scope | SlipReader> {
  const run = yield* FiberSet.makeRuntime<SlipReader>()
  const listener: http.RequestListener = (request, response) => {
    const fiber = run(handle(mock, onExchange, request, response))
    response.on("close", () => fiber.interruptUnsafe())
  }
  const server = identity === undefined
    ? http.createServer(listener)
    : https.createServer({ key: identity.key, cert: identity.certificate }, listener)
  // A client that does not trust the certificate closes the connection and reports the error.
  server.on("tlsClientError", () => undefined)
  return yield* Effect.acquireRelease(listen(server, host, port), () =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    }))
})

const listen = (server: http.Server, host: string, port: number) =>
  Effect.callback<number, CannotListen>((resume) => {
    server.on("error", ({ message }) => resume(Effect.fail(new CannotListen({ message }))))
    server.listen(port, host, () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : port))
    })
  })

const MAX_BODY_BYTES = 8 * 1024 * 1024

/** The body; undefined when it is too large. Never ends for a client that closes the connection. */
const bodyOf = (request: http.IncomingMessage) =>
  Effect.callback<Uint8Array | undefined>((resume) => {
    readBody(request, MAX_BODY_BYTES, (bytes) => resume(Effect.succeed(bytes)), () => {
      resume(Effect.never)
    })
  })

const headersOf = (request: http.IncomingMessage): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]))

const handle = Effect.fnUntraced(function* (
  mock: VendorMock,
  onExchange: (exchange: Exchange) => Effect.Effect<void>,
  request: http.IncomingMessage,
  response: http.ServerResponse
) {
  const body = yield* bodyOf(request)
  const { method = "", url = "" } = request
  if (body === undefined) return send(jsonAnswer(413, { error: "the body has more than 8 MiB" }), response)
  if (url === CONTROL_PATH) return send(yield* answerControl(mock, method, body), response)
  const answered = yield* mock.answer({ method, url, headers: headersOf(request), body })
  if (answered === undefined) {
    return send(jsonAnswer(404, { error: "no vendor has this path: the command prints the base URLs" }), response)
  }
  yield* onExchange(answered.exchange)
  if (answered.answer.delayMillis > 0) yield* Effect.sleep(answered.answer.delayMillis)
  send(answered.answer, response)
})

/** Sends an answer, unless the fault is that it does not arrive. */
const send = ({ delivery, headers, status, text }: Answer, response: http.ServerResponse): void => {
  const bytes = Buffer.from(text)
  if (delivery === "reset") response.socket?.destroy()
  if (delivery === "reset" || delivery === "silent") return
  response.writeHead(status, { ...headers, "content-length": bytes.length })
  if (delivery === "whole") response.end(bytes)
  else response.write(bytes.subarray(0, bytes.length / 2), () => response.socket?.destroy())
}
