import { Effect } from "effect"
import { branches, slips } from "../../domain/events/aggregates.ts"
import { beginning, type RecordedEvent } from "../../domain/events/recorded-event.ts"
import type { Sealed } from "../../domain/sealed.ts"
import { EventStore } from "../../ports/event-store.ts"
import { webhookSecretPurpose } from "../provisioning/branches.ts"
import { openPlaced, slipPurposes } from "../sealing/sealed-data.ts"

/** Events searched for sealed values. The first branch, near the beginning of the log, has a webhook secret. */
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

const canOpen = ({ purpose, sealed }: Sample) =>
  openPlaced(purpose, sealed).pipe(
    Effect.as(true),
    Effect.catchTag("VaultError", ({ reason }) => Effect.succeed(reason === "forgotten"))
  )

/** The first webhook secret and the first transfer near the beginning of the log. */
const samples = Effect.gen(function* () {
  const events = yield* (yield* EventStore).readAll({ after: beginning, limit: FIRST_EVENTS })
  return ["WebhookSecretRotated", "SlipVerified"].flatMap((type) =>
    events.filter((event) => event.type === type).slice(0, 1).flatMap(sampleOf)
  )
})

/** The first sealed values of the log, still sealed. Each one names the key that sealed it. */
export const firstSealed = Effect.map(samples, (found) => found.map(({ sealed }) => sealed))

/**
 * Whether the current keys sealed this log; undefined when the log has no sealed value. With another master key the
 * service would refuse all API keys and treat verified slips as new. Without the subject keys it cannot read transfers.
 */
export const isOwnKey = Effect.gen(function* () {
  const found = yield* samples
  if (found.length === 0) return undefined
  return (yield* Effect.forEach(found, canOpen)).every((isOpened) => isOpened)
})
