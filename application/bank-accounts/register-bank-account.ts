import { Effect } from "effect"
import { requireRoom } from "./account-limit.ts"
import { viewOf } from "./list-bank-accounts.ts"
import { claimNumber } from "./move-bank-account.ts"
import { awaitVisibleIn, contextOf } from "../provisioning/operator-command.ts"
import type { RequestIds } from "../events/handle-command.ts"
import { numberDigest, openDetails, sealDetails } from "../sealing/sealed-data.ts"
import type { BankAccountRegistered } from "../../domain/bank-account/bank-account.ts"
import {
  type BankAccountFields,
  checkFields,
  contentOf,
  type PersonalFields
} from "../../domain/bank-account/fields.ts"
import { bankAccounts, streamOf } from "../../domain/events/aggregates.ts"
import { isoTime } from "../../domain/time.ts"
import { EventStore } from "../../ports/event-store.ts"
import { bankAccountsModel } from "../../projections/models/bank-accounts.ts"

/** An account that a branch registers. The branch is linked to it at once. */
export interface NewBankAccount {
  /** UUID in lower case. Registering the same id again changes nothing and returns the first result. */
  readonly accountId: string
  readonly serviceId: string
  readonly branchId: string
  readonly fields: BankAccountFields
}

/** The view of an account as it was registered, without later changes. */
export const viewOfRegistered = (event: BankAccountRegistered, personal: PersonalFields) =>
  viewOf(event.accountId, { ...event, active: true, createdAt: event.at, updatedAt: event.at }, personal)

/** The registration of an account in the stream of its number. */
const registrationOf = Effect.fnUntraced(function* (stream: string, accountId: string) {
  const recorded = yield* (yield* EventStore).readStream(stream)
  for (const event of recorded.map(bankAccounts.codec.decode)) {
    const isRegistration = event._tag === "BankAccountRegistered" && event.accountId === accountId
      && event.movedFrom === null
    if (isRegistration) return event
  }
  return undefined
})

/**
 * Reads the result of a registration from the log; undefined when the account is not registered. Fails in the same way
 * as `registerBankAccount` for fields that it refuses.
 */
export const recallRegistration = Effect.fnUntraced(function* ({ accountId, fields, serviceId }: NewBankAccount) {
  const checked = yield* Effect.fromResult(checkFields(fields))
  const stream = streamOf.bankAccount(serviceId, yield* numberDigest(checked))
  const event = yield* registrationOf(stream, accountId)
  return event === undefined ? undefined : viewOfRegistered(event, yield* openDetails(event.details))
})

/**
 * Registers an account on which the branch receives money. Fails with `BankAccountDuplicate` while another active account
 * of the service has the number, and with `BankAccountsFull` when the branch has too many.
 */
export const registerBankAccount = Effect.fn("bankAccounts.registerBankAccount")(function* (
  input: NewBankAccount,
  ids: RequestIds
) {
  const { accountId, branchId, serviceId } = input
  const fields = yield* Effect.fromResult(checkFields(input.fields))
  yield* requireRoom(branchId, accountId)
  const digest = yield* numberDigest(fields)
  const context = { ...(yield* contextOf(ids)), commandId: accountId }
  const { events: [event] } = yield* claimNumber(digest, {
    accountId,
    serviceId,
    branchId,
    bankCode: fields.bankCode,
    ...contentOf({ ...fields, details: yield* sealDetails(fields, input) }),
    at: isoTime(context.at),
    movedFrom: null
  }, context)
  yield* awaitVisibleIn(bankAccountsModel)
  if (event?._tag === "BankAccountRegistered") return viewOfRegistered(event, fields)
  return (yield* recallRegistration(input))
    ?? (yield* Effect.die(`account ${accountId} is registered, but its registration event is missing`))
})
