import { assert } from "@effect/vitest"
import type { GatewayReply } from "../../../ports/bank-gateway.ts"

/** The reply states nothing, for a reason like this. */
export const assertUnavailable = ({ answer }: Pick<GatewayReply, "answer">, why: RegExp): void => {
  assert(answer._tag === "Unavailable", `the answer was ${answer._tag}`)
  assert.match(answer.why, why)
  assert.isAtLeast(answer.retryAfterSeconds, 1)
}
