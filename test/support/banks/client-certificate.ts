import { Effect } from "effect"
import { makeIdentity } from "../../../infrastructure/commands/receiver/identity.ts"

/** A new client certificate and the authority that signed it. No other server trusts the authority. */
export const makeClient = Effect.map(
  Effect.promise(() => makeIdentity(["sliptrail.test"], Date.now())),
  ({ authority, certificate, key }) => ({ authority, certificate: { cert: certificate, key, endsAt: Infinity } })
)
