import { Effect, Option, Schema } from "effect"
import { Sealed } from "../../domain/sealed.ts"
import { Transfer } from "../../domain/slip/transfer.ts"
import { accountPurpose, Details } from "../sealing/bank-account-sealing.ts"
import { jobPurposes } from "../sealing/job-sealing.ts"
import { slipPurposes } from "../sealing/slip-sealing.ts"
import type { Json, JsonObject, RecordedEvent } from "../../domain/events/recorded-event.ts"
import { Vault } from "../../ports/vault.ts"
import { contactPurpose } from "../provisioning/directory.ts"
import { maskName, maskNumber, maskTransfer } from "../../domain/slip/masks.ts"

/** The fields of events in which personal data is sealed, and for which purpose. Secrets of branches are never opened. */
const purposes: Readonly<Record<string, string>> = {
  ...slipPurposes,
  ...jobPurposes,
  details: accountPurpose,
  contact: contactPurpose
}

const isSealed = Schema.is(Sealed)
const parseJson = Option.liftThrowable((text: string): Json => JSON.parse(text))

/** What was sealed as JSON is that; a remark or a bank's answer may be any text. */
const contentOf = (name: string, text: string): Json =>
  name === "remark" ? text : Option.getOrElse(parseJson(text), () => text)

/** What stands in the place of what can't be opened: the reason of the vault, such as `forgotten`. */
const unreadable = (reason: string): JsonObject => ({ unreadable: reason })

const isUnreadable = Schema.is(Schema.Struct({ unreadable: Schema.String }))

const open = Effect.fnUntraced(function* (name: string, purpose: string, sealed: Sealed) {
  const opened = (yield* Vault).open(purpose, sealed)
  return yield* Effect.match(opened, {
    onSuccess: (text) => contentOf(name, text),
    onFailure: ({ reason }) => unreadable(reason)
  })
})

/** What is sealed in a field of an event, opened; undefined where nothing is. */
export const openedField = Effect.fnUntraced(function* ({ data }: RecordedEvent, name: string) {
  const purpose = purposes[name]
  const value = data[name]
  return purpose !== undefined && isSealed(value) ? yield* open(name, purpose, value) : undefined
})

/** Why what was sealed can't be opened, such as `forgotten`; undefined when it was. */
export const whyUnreadable = (content: Json): string | undefined =>
  isUnreadable(content) ? content.unreadable : undefined

/** Whether `opened` shows anything of an event that is sealed in the log. */
export const isToBeOpened = Effect.fnUntraced(function* (event: RecordedEvent) {
  for (const name of Object.keys(event.data)) {
    const content = yield* openedField(event, name)
    if (content !== undefined && whyUnreadable(content) === undefined) return true
  }
  return false
})

const inFields = Effect.fnUntraced(function* <E, R>(
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

/**
 * The event with the personal data in it opened. Whoever shows it to somebody has written that down before
 * (`recordReveal`).
 */
export const opened = (event: RecordedEvent) => inFields(event, (name, sealed, purpose) => open(name, purpose, sealed))

const decodeTransfer = Schema.decodeUnknownOption(Transfer)
const decodeDetails = Schema.decodeUnknownOption(Details)

const maskDetails = ({ bankNumber, nameEn, nameTh }: typeof Details.Type): JsonObject => ({
  bankNumber: maskNumber(bankNumber),
  nameTh: maskName(nameTh),
  nameEn: nameEn === null ? null : maskName(nameEn)
})

/** What of some fields may be told masked. */
const masks: Readonly<Record<string, (content: Json) => Option.Option<Json>>> = {
  transfer: (content) => Option.map(decodeTransfer(content), maskTransfer),
  details: (content) => Option.map(decodeDetails(content), maskDetails)
}

/** The event with transfers and accounts opened and masked; everything else stays sealed. */
export const masked = (event: RecordedEvent) =>
  inFields(
    event,
    Effect.fnUntraced(function* (name, sealed, purpose) {
      const mask = masks[name]
      if (mask === undefined) return sealed
      const content = yield* open(name, purpose, sealed)
      return isUnreadable(content) ? content : Option.getOrElse(mask(content), () => sealed)
    })
  )
