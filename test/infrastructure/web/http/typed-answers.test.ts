import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { v1Operations } from "../../../../infrastructure/web/api/operations/all.ts"
import { information } from "../../../../infrastructure/web/api/operations/information.ts"
import { verification } from "../../../../infrastructure/web/api/operations/verification.ts"
import { v1Endpoint, v2Endpoint } from "../../../../infrastructure/web/http/operations/operation-endpoint.ts"
import { FileAnswer } from "../../../../infrastructure/web/http/server/reply.ts"

const me = { application: "Shop", usedQuota: 1, maxQuota: 2, remainingQuota: 1, expiredAt: null }
const { maxQuota: _, ...lessThanMe } = me

describe("a handler's answer", () => {
  it("is what its operation declares, or it does not compile", () => {
    const routes = [
      v2Endpoint(information.health, () => Effect.succeed({ status: "ok" as const })),
      // @ts-expect-error: a field of another name
      v2Endpoint(information.health, () => Effect.succeed({ state: "ok" as const })),
      // @ts-expect-error: a value that is not declared
      v2Endpoint(information.health, () => Effect.succeed({ status: "fine" })),
      // @ts-expect-error: a file instead of data
      v2Endpoint(information.health, () => Effect.succeed(new FileAnswer("text/plain", "ok"))),
      // @ts-expect-error: another operation's data
      v2Endpoint(verification.verifyBank, () => Effect.succeed({ status: "ok" as const })),
      v1Endpoint(v1Operations.me, () => Effect.succeed(me)),
      // @ts-expect-error: a field is missing
      v1Endpoint(v1Operations.me, () => Effect.succeed(lessThanMe))
    ]
    assert.isTrue(routes.every(Layer.isLayer))
  })
})
