import { assert } from "@effect/vitest"
import type { GatewayReply } from "../../../../ports/bank-gateway.ts"

/** Checks that the reply has no definite answer, for a matching reason. */
export const assertUnavailable = ({ answer }: Pick<GatewayReply, "answer">, why: RegExp): void => {
  assert(answer._tag === "Unavailable", `the answer was ${answer._tag}`)
  assert.match(answer.why, why)
  assert.isAtLeast(answer.retryAfterSeconds, 1)
}
