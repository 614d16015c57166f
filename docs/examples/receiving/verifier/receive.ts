import { type Callback, verify, WebhookError } from "sliptrail/webhook"

/** Receives callbacks wherever requests are a `Request`: Deno, workers, Hono, route handlers of Next.js. */
export const makeReceiver =
  (secrets: ReadonlyArray<string>, keep: (callback: Callback) => Promise<void>) =>
  async (request: Request): Promise<Response> => {
    const body = await request.arrayBuffer()
    try {
      await keep(await verify(body, request.headers, secrets))
      return new Response(null, { status: 200 })
    } catch (error) {
      // What is not genuine is refused for good; our own fault is answered with 500, so that it comes again.
      return new Response(null, { status: error instanceof WebhookError ? 401 : 500 })
    }
  }
