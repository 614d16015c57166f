import { Effect } from "effect"
import { branches } from "../aggregates.ts"
import { webhookSecretPurpose } from "../commands/branches.ts"
import { beginning, EventStore } from "../ports/event-store.ts"
import { Vault } from "../ports/vault.ts"

/** How many events are searched for something sealed: the first branch comes with the first service. */
const FIRST_EVENTS = 200

const firstSealed = Effect.gen(function*() {
  const events = yield* (yield* EventStore).readAll({ after: beginning, limit: FIRST_EVENTS })
  for (const event of events.filter(({ type }) => type === "WebhookSecretRotated")) {
    const decoded = branches.codec.decode(event)
    if (decoded._tag === "WebhookSecretRotated") return decoded.secret
  }
  return undefined
})

/**
 * Whether the master key in force is the one that the log was sealed with: `undefined` when the log has sealed nothing
 * yet. Under another key no API key is recognised, nothing sealed can be read, and a slip that is known looks new.
 */
export const isOwnKey = Effect.gen(function*() {
  const sealed = yield* firstSealed
  if (sealed === undefined) return undefined
  return (yield* Effect.exit((yield* Vault).open(webhookSecretPurpose, sealed)))._tag === "Success"
})
