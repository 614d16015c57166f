import { accounts, bankAccounts, branches } from "../../domain/events/aggregates.ts"
import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { isBound, type Sealed } from "../../domain/sealed.ts"
import type { Write } from "../../ports/read-models.ts"
import { decoded } from "../engine/decoded.ts"
import type { Projection } from "../engine/projection.ts"
import { FixedSet } from "../engine/read-model.ts"

/**
 * The read model `unbound-values`: the secrets and accounts whose newest sealed value is bound to its purpose only
 * (docs/spec/events.md, "Sealed values"). `sliptrail reseal` empties it.
 */
export const unboundValuesModel = { name: "unbound-values", version: 1 } as const

/** All members have the score 0. */
export const unboundValueSets = {
  /** Branches, by the webhook secret. */
  webhookSecrets: new FixedSet(unboundValuesModel, "webhook-secrets"),
  /** Receiving accounts, deactivated ones too. */
  bankAccounts: new FixedSet(unboundValuesModel, "bank-accounts"),
  /** Owners of services, by their contact. */
  contacts: new FixedSet(unboundValuesModel, "contacts")
} as const

const writes = (set: FixedSet, id: string, sealed: Sealed | null): ReadonlyArray<Write> =>
  sealed === null || isBound(sealed) ? [set.remove(id, 0)] : [set.add(id, 0)]

const ofAccount = (id: string, recorded: RecordedEvent): ReadonlyArray<Write> => {
  const event = decoded(accounts, recorded)
  return "contact" in event ? writes(unboundValueSets.contacts, id, event.contact) : []
}

const ofBranch = (id: string, recorded: RecordedEvent): ReadonlyArray<Write> => {
  const event = decoded(branches, recorded)
  return "secret" in event ? writes(unboundValueSets.webhookSecrets, id, event.secret) : []
}

const ofBankAccount = (recorded: RecordedEvent): ReadonlyArray<Write> => {
  const event = decoded(bankAccounts, recorded)
  return "details" in event ? writes(unboundValueSets.bankAccounts, event.accountId, event.details) : []
}

export const unboundValuesProjection: Projection = {
  ...unboundValuesModel,
  streams: ["account-", "branch-", "bankAccount-"],
  when: (recorded) => {
    const { stream } = recorded
    const id = stream.slice(stream.indexOf("-") + 1)
    if (stream.startsWith("account-")) return ofAccount(id, recorded)
    return stream.startsWith("branch-") ? ofBranch(id, recorded) : ofBankAccount(recorded)
  }
}
