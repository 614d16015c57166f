import { Effect, Option, Schema } from "effect"
import type { Json, JsonObject, RecordedEvent } from "../../domain/events/recorded-event.ts"
import { recordOf } from "../../domain/events/sealed-record.ts"
import { isSealed, type Sealed } from "../../domain/sealed.ts"
import { maskName, maskNumber, maskReference, maskTransfer } from "../../domain/slip/masks.ts"
import { bankShown, nameShown, numberShown, Transfer } from "../../domain/slip/transfer.ts"
import { Vault } from "../../ports/vault.ts"
import { contactPurpose } from "../provisioning/directory.ts"
import { accountPurpose, Details, jobPurposes, notePurposes, slipPurposes } from "../sealing/sealed-data.ts"

/** The fields of events with sealed personal data, and their purposes. Secrets of branches are never opened. */
const purposes: Readonly<Record<string, string>> = {
  ...slipPurposes,
  ...jobPurposes,
  ...notePurposes,
  details: accountPurpose,
  contact: contactPurpose
}

const parseJson = Option.liftThrowable((text: string): Json => JSON.parse(text))
const decodeTransfer = Schema.decodeUnknownOption(Transfer)
const decodeDetails = Schema.decodeUnknownOption(Details)

/** Replaces data that cannot be opened. The reason is the vault's, for example `forgotten`. */
const unreadable = (reason: string): JsonObject => ({ unreadable: reason })

const isUnreadable = Schema.is(Schema.Struct({ unreadable: Schema.String }))

const open = Effect.fnUntraced(function* (event: RecordedEvent, name: string, purpose: string, sealed: Sealed) {
  const place = { record: recordOf(event), position: event.position }
  return yield* Effect.match((yield* Vault).open(purpose, sealed, place), {
    // A remark, a note and a bank's response may be any text. All other fields hold JSON.
    onSuccess: (text): Json =>
      name === "remark" || name === "note" ? text : Option.getOrElse(parseJson(text), () => text),
    onFailure: ({ reason }) => unreadable(reason)
  })
})

/** The opened content of a sealed field; undefined when the field is absent or not sealed. */
const openField = Effect.fnUntraced(function* (event: RecordedEvent, name: string) {
  const purpose = purposes[name]
  const value = event.data[name]
  return purpose !== undefined && isSealed(value) ? yield* open(event, name, purpose, value) : undefined
})

const mapSealed = Effect.fnUntraced(function* <E, R>(
  event: RecordedEvent,
  show: (name: string, sealed: Sealed, purpose: string) => Effect.Effect<Json, E, R>
) {
  const data: { [name: string]: Json } = { ...event.data }
  for (const [name, value] of Object.entries(event.data)) {
    const purpose = purposes[name]
    if (purpose !== undefined && isSealed(value)) data[name] = yield* show(name, value, purpose)
  }
  return { ...event, data } satisfies RecordedEvent
})

/** The event with its personal data opened. Call `recordDisclosure` before you show it. */
export const openEvent = (event: RecordedEvent) =>
  mapSealed(event, (name, sealed, purpose) => open(event, name, purpose, sealed))

/** Whether `openEvent` returns any personal data of this event. */
export const hasReadableData = Effect.fnUntraced(function* (event: RecordedEvent) {
  for (const name of Object.keys(event.data)) {
    const content = yield* openField(event, name)
    if (content !== undefined && !isUnreadable(content)) return true
  }
  return false
})

const maskDetails = ({ bankNumber, merchantId, nameEn, nameTh, ref1 }: typeof Details.Type): JsonObject => ({
  bankNumber: maskNumber(bankNumber),
  nameTh: maskName(nameTh),
  nameEn: nameEn === null ? null : maskName(nameEn),
  ...(ref1 ? { ref1: maskReference(ref1) } : {}),
  ...(merchantId ? { merchantId: maskReference(merchantId) } : {})
})

const masks: Readonly<Record<string, (content: Json) => Option.Option<Json>>> = {
  transfer: (content) => Option.map(decodeTransfer(content), maskTransfer),
  details: (content) => Option.map(decodeDetails(content), maskDetails)
}

/**
 * The event with transfers and accounts opened and masked, for the sentences of `trail show`. All other fields stay
 * sealed, because no sentence uses them.
 */
export const maskEvent = (event: RecordedEvent) =>
  mapSealed(
    event,
    Effect.fnUntraced(function* (name, sealed, purpose) {
      const mask = masks[name]
      if (mask === undefined) return sealed
      const content = yield* open(event, name, purpose, sealed)
      return isUnreadable(content) ? content : Option.getOrElse(mask(content), () => sealed)
    })
  )

/** Sender and receiver as texts for a person; unknown fields are absent. A branch's bank account is the receiver. */
export interface Parties {
  readonly senderBank?: string
  readonly senderName?: string
  readonly senderAccount?: string
  readonly receiverBank?: string
  readonly receiverName?: string
  readonly receiverAccount?: string
}

const noParties: Parties = {}

const partiesOfTransfer = ({ receiver, sender }: Transfer): Parties => ({
  senderBank: bankShown(sender),
  senderName: nameShown(sender) ?? "",
  senderAccount: numberShown(sender),
  receiverBank: bankShown(receiver),
  receiverName: nameShown(receiver) ?? "",
  receiverAccount: numberShown(receiver) || (receiver.merchantId ?? "")
})

const partiesOfAccount = ({ bankNumber, nameTh }: typeof Details.Type, bankCode: Json | undefined): Parties => ({
  ...(typeof bankCode === "string" ? { receiverBank: bankCode } : {}),
  receiverName: nameTh,
  receiverAccount: bankNumber
})

/** The reason in every field. No fields for an unknown key, because another process may have that key. */
const partiesOfUnreadable = (content: Json): Parties => {
  if (!isUnreadable(content) || content.unreadable === "unknown-key") return noParties
  const reason = content.unreadable
  return {
    senderBank: reason,
    senderName: reason,
    senderAccount: reason,
    receiverBank: reason,
    receiverName: reason,
    receiverAccount: reason
  }
}

const maskParties = ({ receiverAccount, receiverName, senderAccount, senderName, ...banks }: Parties): Parties => ({
  ...banks,
  ...(senderName === undefined ? {} : { senderName: maskName(senderName) }),
  ...(senderAccount === undefined ? {} : { senderAccount: maskNumber(senderAccount) }),
  ...(receiverName === undefined ? {} : { receiverName: maskName(receiverName) }),
  ...(receiverAccount === undefined ? {} : { receiverAccount: maskNumber(receiverAccount) })
})

const partiesOf = (show: (parties: Parties) => Parties) =>
  Effect.fnUntraced(function* (event: RecordedEvent) {
    const transfer = yield* openField(event, "transfer")
    if (transfer !== undefined) {
      return Option.match(decodeTransfer(transfer), {
        onNone: () => partiesOfUnreadable(transfer),
        onSome: (known) => show(partiesOfTransfer(known))
      })
    }
    const details = yield* openField(event, "details")
    if (details === undefined) return noParties
    return Option.match(decodeDetails(details), {
      onNone: () => noParties,
      onSome: (known) => show(partiesOfAccount(known, event.data["bankCode"]))
    })
  })

/** The parties of an event, masked as in trails. */
export const maskedParties = partiesOf(maskParties)

/** The parties of an event, unmasked. Call `recordDisclosure` before you show them. */
export const openedParties = partiesOf((parties) => parties)
