import { Effect, Option, Schema } from "effect"
import { bankShown, nameShown, numberShown, Transfer } from "../../domain/slip/transfer.ts"
import { Details } from "../sealing/bank-account-sealing.ts"
import type { Json, RecordedEvent } from "../../domain/events/recorded-event.ts"
import { maskName, maskNumber } from "../../domain/slip/masks.ts"
import { openedField, whyUnreadable } from "./trail-opened.ts"

/** Who paid whom, as a person reads it; what is not known is not there. Of an account of a branch: who receives on it. */
export interface Parties {
  readonly senderBank?: string
  readonly senderName?: string
  readonly senderAccount?: string
  readonly receiverBank?: string
  readonly receiverName?: string
  readonly receiverAccount?: string
}

const decodeTransfer = Schema.decodeUnknownOption(Transfer)
const decodeDetails = Schema.decodeUnknownOption(Details)

const none: Parties = {}

const inTransfer = ({ receiver, sender }: Transfer): Parties => ({
  senderBank: bankShown(sender),
  senderName: nameShown(sender) ?? "",
  senderAccount: numberShown(sender),
  receiverBank: bankShown(receiver),
  receiverName: nameShown(receiver) ?? "",
  receiverAccount: numberShown(receiver) || (receiver.merchantId ?? "")
})

const ofReason = (reason: string): Parties => ({
  senderBank: reason,
  senderName: reason,
  senderAccount: reason,
  receiverBank: reason,
  receiverName: reason,
  receiverAccount: reason
})

/** In the place of what can't be read, why; nothing where its key is somewhere else, and may be found again. */
const inPlaceOf = (unread: Json): Parties => {
  const reason = whyUnreadable(unread)
  return reason === undefined || reason === "unknown-key" ? none : ofReason(reason)
}

const inAccount = ({ bankNumber, nameTh }: typeof Details.Type, bankCode: Json | undefined): Parties => ({
  ...(typeof bankCode === "string" ? { receiverBank: bankCode } : {}),
  receiverName: nameTh,
  receiverAccount: bankNumber
})

const hidden = ({ receiverAccount, receiverName, senderAccount, senderName, ...banks }: Parties): Parties => ({
  ...banks,
  ...(senderName === undefined ? {} : { senderName: maskName(senderName) }),
  ...(senderAccount === undefined ? {} : { senderAccount: maskNumber(senderAccount) }),
  ...(receiverName === undefined ? {} : { receiverName: maskName(receiverName) }),
  ...(receiverAccount === undefined ? {} : { receiverAccount: maskNumber(receiverAccount) })
})

const partiesIn = (show: (known: Parties) => Parties) =>
  Effect.fnUntraced(function* (event: RecordedEvent) {
    const transfer = yield* openedField(event, "transfer")
    if (transfer !== undefined) {
      return Option.match(decodeTransfer(transfer), {
        onNone: () => inPlaceOf(transfer),
        onSome: (known) => show(inTransfer(known))
      })
    }
    const details = yield* openedField(event, "details")
    if (details === undefined) return none
    return Option.match(decodeDetails(details), {
      onNone: () => none,
      onSome: (known) => show(inAccount(known, event.data["bankCode"]))
    })
  })

/** The parties that an event names, as the stories mask them. */
export const maskedParties = partiesIn(hidden)

/** The same in full. Whoever shows them to somebody has written that down before (`recordReveal`). */
export const openedParties = partiesIn((known) => known)
