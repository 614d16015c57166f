import { Schema } from "effect"
import { eventsOf, onlyOnce } from "./decider.ts"

/**
 * The end of a session of the shop's page. Sessions are signed and not stored, so each has a stream of its own,
 * `shopSession-{id}`, only when it was signed out before it expired. A session with an event in its stream has ended.
 */

// These names are the storage format: add, never edit.
export const ShopSessionEvent = Schema.TaggedUnion({
  ShopSessionEnded: {
    sessionId: Schema.String,
    branchId: Schema.String,
    /** When the session would have expired. ISO 8601, UTC. */
    expiresAt: Schema.String,
    /** ISO 8601, UTC. */
    at: Schema.String
  }
})
export type ShopSessionEvent = typeof ShopSessionEvent.Type

export type EndShopSession = { readonly _tag: "EndShopSession" } & Omit<ShopSessionEvent, "_tag">

const make = eventsOf(ShopSessionEvent)

export const shopSession = onlyOnce<EndShopSession, ShopSessionEvent>(
  ({ at, branchId, expiresAt, sessionId }) => make.ShopSessionEnded({ sessionId, branchId, expiresAt, at })
)
