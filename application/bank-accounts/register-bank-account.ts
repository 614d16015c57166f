import { Effect } from "effect"
import {
  BankAccountNotFound,
  type BankAccountRegistered,
  formerOf,
  heldBy
} from "../../domain/bank-account/bank-account.ts"
import {
  type BankAccountChange,
  type BankAccountFields,
  changeFields,
  isSamePersonal,
  judgeFields,
  type PersonalFields
} from "../../domain/bank-account/fields.ts"
import { isoTime } from "../../domain/time.ts"
import { streamOf } from "../../domain/events/streams.ts"
import { bankAccounts } from "../../domain/events/aggregates.ts"
import { bankAccountsModel } from "../../projections/models/bank-accounts.ts"
import { EventStore } from "../../ports/event-store.ts"
import { findOwnPlace, type Place, viewOfAccount } from "./locate-account.ts"
import { viewOf } from "./list-bank-accounts.ts"
import { numberDigest, openDetails, sealDetails } from "../sealing/bank-account-sealing.ts"
import { commandAccount, untilSettled } from "./command-account.ts"
import { moveBankAccount } from "./move-bank-account.ts"
import { contextOf, type Operation, visibleIn } from "../provisioning/operator-command.ts"
import { takeNumber } from "./claim-number.ts"

/** An account that a branch registers; it is linked to it at once. */
export interface NewBankAccount {
  /** UUID in lower case: registering the same account again changes nothing and gives what the first time gave. */
  readonly accountId: string
  readonly serviceId: string
  readonly branchId: string
  readonly fields: BankAccountFields
}

/** The record of an account as it was when it was registered, whatever became of it since. */
export const viewOfRegistered = (event: BankAccountRegistered, personal: PersonalFields) =>
  viewOf(event.accountId, { ...event, active: true, createdAt: event.at, updatedAt: event.at }, personal)

/** The registration of an account, as it stands in the stream of that number. */
const registrationOf = Effect.fnUntraced(function* (stream: string, accountId: string) {
  const recorded = yield* (yield* EventStore).readStream(stream)
  for (const event of recorded.map(bankAccounts.codec.decode)) {
    const isIt = event._tag === "BankAccountRegistered" && event.accountId === accountId && event.movedFrom === null
    if (isIt) return event
  }
  return undefined
})

/**
 * What registering an account gave, as the log tells; undefined when it is not registered. Fields with which it can't
 * have been are told as they are by `registerBankAccount`.
 */
export const recallRegistration = Effect.fnUntraced(function* ({ accountId, fields, serviceId }: NewBankAccount) {
  const judged = yield* Effect.fromResult(judgeFields(fields))
  const stream = streamOf.bankAccount(serviceId, yield* numberDigest(judged))
  const event = yield* registrationOf(stream, accountId)
  return event === undefined ? undefined : viewOfRegistered(event, yield* openDetails(event.details))
})

/**
 * Registers an account that the branch receives money on. Fails with `BankAccountDuplicate` while another active account
 * of the service has the number.
 */
export const registerBankAccount = Effect.fn("bankAccounts.registerBankAccount")(function* (
  input: NewBankAccount,
  operation: Operation
) {
  const { accountId, branchId, serviceId } = input
  const fields = yield* Effect.fromResult(judgeFields(input.fields))
  const digest = yield* numberDigest(fields)
  const context = { ...(yield* contextOf(operation)), commandId: accountId }
  const { bankCode, extraVerify, type } = fields
  const { events: [event] } = yield* takeNumber(digest, {
    accountId,
    serviceId,
    branchId,
    bankCode,
    details: yield* sealDetails(fields),
    type,
    extraVerify,
    at: isoTime(context.at),
    movedFrom: null
  }, context)
  yield* visibleIn(bankAccountsModel)
  if (event?._tag === "BankAccountRegistered") return viewOfRegistered(event, fields)
  return (yield* recallRegistration(input)) ?? (yield* Effect.die(`${accountId} is registered and is not`))
})

/** Which account a branch means; `id` as the caller wrote it. */
export interface OwnAccount {
  readonly id: string
  readonly branchId: string
}

const changeAt = Effect.fnUntraced(function* (
  place: Place,
  change: BankAccountChange,
  branchId: string,
  operation: Operation
) {
  const { account, digest } = place
  const personal = yield* openDetails(account.details)
  const fields = yield* Effect.fromResult(changeFields({ ...account, ...personal }, change))
  const details = isSamePersonal(fields, personal) ? account.details : yield* sealDetails(fields)
  const { bankCode, extraVerify, type } = fields
  const content = { details, type, extraVerify }
  const newDigest = yield* numberDigest(fields)
  if (newDigest !== digest) {
    return yield* moveBankAccount(place, { digest: newDigest, branchId, bankCode, ...content }, operation)
  }
  const { after } = yield* commandAccount(place, { _tag: "ChangeBankAccount", ...content }, operation)
  return heldBy(after, account.accountId) ?? account
})

/**
 * Changes an account that the branch is linked to; what is absent stays. With another bank or number it keeps its id and
 * its links, and fails with `BankAccountDuplicate` while another active account of the service has that number.
 */
export const changeBankAccount = Effect.fn("bankAccounts.changeBankAccount")(function* (
  { branchId, id }: OwnAccount,
  change: BankAccountChange,
  operation: Operation
) {
  const account = yield* untilSettled(Effect.gen(function* () {
    const place = yield* findOwnPlace(id, branchId)
    if (!place.isActive) return yield* new BankAccountNotFound()
    return yield* changeAt(place, change, branchId, operation)
  }))
  yield* visibleIn(bankAccountsModel)
  return yield* viewOfAccount(account, true)
})

/** Takes an account out of use for good: its history stays, its number is free. Once more changes nothing. */
export const deactivateBankAccount = Effect.fn("bankAccounts.deactivateBankAccount")(function* (
  { branchId, id }: OwnAccount,
  operation: Operation
) {
  const account = yield* untilSettled(Effect.gen(function* () {
    const place = yield* findOwnPlace(id, branchId)
    if (!place.isActive) return place.account
    const { after } = yield* commandAccount(place, { _tag: "DeactivateBankAccount" }, operation)
    const former = formerOf(after, place.account.accountId)
    return former?._tag === "Deactivated" ? former.account : place.account
  }))
  yield* visibleIn(bankAccountsModel)
  return yield* viewOfAccount(account, false)
})
