import { toServerResponse } from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import { apiError } from "../../api/failures.ts"
import type { Exchange } from "./endpoint.ts"

/** Long files that a process sends at a time: each reads the log, which requests of callers need too. */
const MAX_FILES = 2

const RETRY_SECONDS = 10

/** Bounds how many long files a process sends at a time. */
export const makeFileSlots = (max: number = MAX_FILES) => {
  let used = 0
  return {
    /** Takes a slot until the answer was sent or its connection broke off. */
    take: ({ request }: Exchange) =>
      Effect.suspend(() => {
        if (used >= max) {
          return Effect.fail(
            apiError("RATE_LIMIT_EXCEEDED", {
              message: `This process sends ${max} exports already. Wait until one has ended`,
              retryAfterSeconds: RETRY_SECONDS
            })
          )
        }
        const response = toServerResponse(request)
        if (response.destroyed) return Effect.void
        used += 1
        response.once("close", () => {
          used -= 1
        })
        return Effect.void
      })
  }
}

export type FileSlots = ReturnType<typeof makeFileSlots>
