import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import http from "node:http"
import type { Client } from "../support/client.ts"
import { ADMIN_TOKEN } from "../support/service.ts"

/** An export whose answer a test reads, or does not read. */
export const openExport = (client: Client, query = "") =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const request = http.get(`${client.baseUrl}/admin/v1/trail/export?${query}`, {
        agent: false,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` }
      })
      // The test breaks connections off.
      request.on("error", () => {})
      const [response]: ReadonlyArray<http.IncomingMessage> = await once(request, "response")
      response?.on("error", () => {})
      return { request, response: response ?? assert.fail("there is an answer") }
    }),
    ({ request }) => Effect.sync(() => request.destroy())
  )
