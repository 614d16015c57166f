import { Effect } from "effect"
import { load } from "../events/handle-command.ts"
import { locateAccount } from "../bank-accounts/locate-account.ts"
import { webhookSecretPurpose } from "../provisioning/branches.ts"
import { contactPurpose } from "../provisioning/directory.ts"
import { awaitVisibleIn, handleOperatorCommand } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"
import { accounts, bankAccounts, branches, streamOf } from "../../domain/events/aggregates.ts"
import { recordOfBankAccount } from "../../domain/events/sealed-record.ts"
import { isBound, type Sealed } from "../../domain/sealed.ts"
import type { Member } from "../../ports/read-models.ts"
import { VaultError } from "../../ports/vault.ts"
import { forEachPage } from "../../projections/engine/page.ts"
import { caughtUp } from "../../projections/engine/readiness.ts"
import { unboundValueSets, unboundValuesModel } from "../../projections/models/unbound-values.ts"
import { BindingMarker } from "./binding-marker.ts"
import type { UnboundCounts } from "./count-unbound.ts"
import { accountPurpose, openPlaced, sealFor } from "../sealing/sealed-data.ts"

/** The same text, bound to a record. */
const rebind = (purpose: string, sealed: Sealed, record: string) =>
  Effect.flatMap(openPlaced(purpose, sealed), (text) => sealFor(purpose, text, { record, subject: undefined }))

const resealWebhookSecret = Effect.fnUntraced(function* (branchId: string, ids: RequestIds) {
  const stream = streamOf.branch(branchId)
  const loaded = yield* load(branches, stream)
  const { previousWebhookSecret: older, webhookSecret: newest } = loaded.state
  if (newest === null || isBound(newest)) return
  const command = {
    _tag: "ResealWebhookSecret",
    replaces: newest.c,
    secret: yield* rebind(webhookSecretPurpose, newest, stream),
    previous: older === null ? null : yield* rebind(webhookSecretPurpose, older.secret, stream)
  } as const
  yield* handleOperatorCommand(branches, stream, () => command, ids, loaded)
})

const resealContact = Effect.fnUntraced(function* (accountId: string, ids: RequestIds) {
  const stream = streamOf.account(accountId)
  const loaded = yield* load(accounts, stream)
  const { contact } = loaded.state
  if (contact === null || isBound(contact)) return
  const command = {
    _tag: "ResealContact",
    replaces: contact.c,
    contact: yield* rebind(contactPurpose, contact, stream)
  } as const
  yield* handleOperatorCommand(accounts, stream, () => command, ids, loaded)
})

const resealBankAccount = Effect.fnUntraced(function* (accountId: string, ids: RequestIds) {
  const { account: { details, serviceId }, digest } = yield* locateAccount(accountId)
  if (isBound(details)) return
  const rebound = yield* rebind(accountPurpose, details, recordOfBankAccount(serviceId, accountId))
  yield* handleOperatorCommand(bankAccounts, streamOf.bankAccount(serviceId, digest), (at) => ({
    _tag: "ResealBankAccount",
    accountId,
    replaces: details.c,
    details: rebound,
    at
  } as const), ids)
})

/** A value that does not open, and why. */
export interface Unopened {
  readonly kind: keyof UnboundCounts
  /** Of the branch, the bank account or the account. */
  readonly id: string
  readonly reason: VaultError["reason"]
}

/** What `reseal` did. */
export interface Resealed {
  readonly resealed: UnboundCounts
  readonly unopened: ReadonlyArray<Unopened>
}

/**
 * Writes the values of a set anew, one after the other. Each has its own stream, so a run that ends early has done what it
 * has done, and the next one does the rest.
 */
const resealAll = Effect.fnUntraced(function* <E extends { readonly _tag: string }, R>(
  kind: keyof UnboundCounts,
  reseal: (id: string, ids: RequestIds) => Effect.Effect<void, E | VaultError, R>,
  ids: RequestIds
) {
  const unopened: Array<Unopened> = []
  let count = 0
  const resealOne = Effect.fnUntraced(function* ({ member: id }: Member) {
    const failure = yield* reseal(id, ids).pipe(
      Effect.as(undefined),
      Effect.catchIf(
        (error): error is VaultError => error instanceof VaultError,
        ({ reason }) => Effect.succeed<Unopened>({ kind, id, reason })
      )
    )
    if (failure === undefined) count += 1
    else unopened.push(failure)
  })
  yield* forEachPage(unboundValueSets[kind], {}, (page) => Effect.forEach(page, resealOne, { discard: true }))
  return { count, unopened }
})

/**
 * Sets the marker, and writes every webhook secret, bank account and contact that is bound to its purpose only as a new
 * event, bound to its record. Repeating it does the rest. Values that do not open stay, and are named.
 */
export const reseal = Effect.fn("reseal")(function* (ids: RequestIds) {
  yield* (yield* BindingMarker).set(ids)
  yield* caughtUp([unboundValuesModel])
  const webhookSecrets = yield* resealAll("webhookSecrets", resealWebhookSecret, ids)
  const bankAccounts = yield* resealAll("bankAccounts", resealBankAccount, ids)
  const contacts = yield* resealAll("contacts", resealContact, ids)
  yield* awaitVisibleIn(unboundValuesModel)
  return {
    resealed: {
      webhookSecrets: webhookSecrets.count,
      bankAccounts: bankAccounts.count,
      contacts: contacts.count
    },
    unopened: [webhookSecrets, bankAccounts, contacts].flatMap(({ unopened }) => unopened)
  } satisfies Resealed
})
