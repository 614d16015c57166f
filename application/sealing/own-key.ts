import { Effect } from "effect"
import type { Sealed } from "../../domain/sealed.ts"
import { branches, slips } from "../../domain/events/aggregates.ts"
import { webhookSecretPurpose } from "../provisioning/branches.ts"
import { slipPurposes } from "./slip-sealing.ts"
import { beginning, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import { EventStore } from "../../ports/event-store.ts"
import { Vault } from "../../ports/vault.ts"

/** How many events are searched for something sealed: the first branch comes with the first service. */
const FIRST_EVENTS = 200

interface Sample {
  readonly purpose: string
  readonly sealed: Sealed
}

const sampleOf = (event: RecordedEvent): ReadonlyArray<Sample> => {
  if (event.type === "WebhookSecretRotated") {
    const decoded = branches.codec.decode(event)
    return decoded._tag === "WebhookSecretRotated" ? [{ purpose: webhookSecretPurpose, sealed: decoded.secret }] : []
  }
  if (event.type !== "SlipVerified") return []
  const decoded = slips.codec.decode(event)
  return decoded._tag === "SlipVerified" ? [{ purpose: slipPurposes.transfer, sealed: decoded.transfer }] : []
}

const isKnown = ({ purpose, sealed }: Sample) =>
  Effect.flatMap(Vault, (vault) => vault.open(purpose, sealed)).pipe(
    Effect.as(true),
    Effect.catchTag("VaultError", ({ reason }) => Effect.succeed(reason === "forgotten"))
  )

/** The first secret and the first slip that the log has sealed, those of them that there are. */
const samples = Effect.gen(function* () {
  const events = yield* (yield* EventStore).readAll({ after: beginning, limit: FIRST_EVENTS })
  return ["WebhookSecretRotated", "SlipVerified"].flatMap((type) =>
    events.filter((event) => event.type === type).slice(0, 1).flatMap(sampleOf)
  )
})

/** What the log has sealed first, to see under which keys; none of it is opened. */
export const firstSealed = Effect.map(samples, (found) => found.map(({ sealed }) => sealed))

/**
 * Whether the keys in force are those that the log was sealed with: `undefined` when the log has sealed nothing yet.
 * Under another master key no API key is recognised and a slip that is known looks new; without the keys of its subjects
 * nothing that a bank said can be read.
 */
export const isOwnKey = Effect.gen(function* () {
  const sealed = yield* samples
  if (sealed.length === 0) return undefined
  return (yield* Effect.forEach(sealed, isKnown)).every((known) => known)
})
