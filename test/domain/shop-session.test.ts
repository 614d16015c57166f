import { describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { type EndShopSession, shopSession, ShopSessionEvent } from "../../domain/shop-session.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const session = {
  sessionId: "s-1",
  branchId: "b-1",
  expiresAt: "2026-12-22T05:00:00.000Z",
  at: "2026-11-22T05:00:00.000Z"
} as const
const end: EndShopSession = { _tag: "EndShopSession", ...session }
const ids = Arbitrary.schema(Schema.Literals(["s-1", "s-2"]))

describe("a session of the shop's page", () => {
  it("ends once", () => {
    const ended: ShopSessionEvent = { _tag: "ShopSessionEnded", ...session }
    given(shopSession).when(end).then(ended)
    given(shopSession, ended).when(end).thenNothing()
  })

  itObeysTheLaws(
    shopSession,
    ShopSessionEvent,
    Arbitrary.map(ids, (sessionId): EndShopSession => ({ ...end, sessionId }))
  )
})
