import { Effect } from "effect"
import { makeIdentity } from "../../../infrastructure/receiver/identity.ts"

/** A client, and the authority that vouches for it: newly made, and trusted by no other server. */
export const makeClient = Effect.map(
  Effect.promise(() => makeIdentity(["sliptrail.test"], Date.now())),
  ({ authority, certificate, key }) => ({ authority, certificate: { cert: certificate, key, endsAt: Infinity } })
)
