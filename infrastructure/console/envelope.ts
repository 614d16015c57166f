import type { HttpServerResponse } from "effect/http"
import { markup } from "../http/html.ts"
import type { Answering, Envelope } from "../http/reply.ts"
import { sendHtml } from "./respond.ts"

/** What is told without a page around it. */
interface Bare {
  readonly status: number
  readonly message: string
}

const bare = ({ message, status }: Bare, answering: Answering): HttpServerResponse.HttpServerResponse =>
  sendHtml(
    markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>SlipTrail</title></head>
<body><main><h1>${message}</h1>
<p>X-Request-Id: <code>${answering.requestId}</code></p><p><a href="/console">SlipTrail</a></p></main></body></html>
`,
    status,
    { requestId: answering.requestId, answerHeaders: answering.headers ?? {} }
  )

/** How the console answers where it has no page of its own for it: pages answer by themselves. */
export const consoleEnvelope: Envelope<Bare, never> = {
  reply: (never) => never,
  error: bare,
  notFound: { status: 404, message: "There is no such page" },
  unforeseen: { status: 500, message: "Something went wrong that nobody foresaw; the log has it under this id" }
}
