import { type Callback, verify, WebhookError } from "sliptrail/webhook"

/** A receiver for runtimes with `Request` and `Response`: Deno, workers, Hono, route handlers of Next.js. */
export const makeReceiver =
  (secrets: ReadonlyArray<string>, store: (callback: Callback) => Promise<void>) =>
  async (request: Request): Promise<Response> => {
    const body = await request.arrayBuffer()
    try {
      await store(await verify(body, request.headers, secrets))
      return new Response(null, { status: 200 })
    } catch (error) {
      // 401 rejects a forged callback for good. An error of the receiver answers 500, so that the callback is sent again.
      return new Response(null, { status: error instanceof WebhookError ? 401 : 500 })
    }
  }
