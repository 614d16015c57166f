import { Option, Schema } from "effect"
import { Details } from "../../application/sealing/bank-account-sealing.ts"
import type { JsonObject } from "../../domain/events/recorded-event.ts"
import { say, type Sentence } from "./messages.ts"

/** One sentence an event type of receiving accounts, from its data. */
export const enAccounts = {
  BankAccountRegistered: (data) =>
    data["movedFrom"] === null
      ? `Bank account ${number(data)} registered, and linked to branch ${say(data["branchId"])}`
      : `Bank account begins to move to one ${number(data)}`,
  BankAccountChanged: (data) => `Bank account changed${isKnown(data) ? `: it is ${content(data)}` : ""}`,
  BankAccountLinked: ({ branchId }) => `Bank account linked to branch ${say(branchId)}`,
  BankAccountUnlinked: ({ branchId }) => `Bank account unlinked from branch ${say(branchId)}`,
  BankAccountDeactivated: ({ reason }) =>
    reason === "move-abandoned"
      ? "Bank account stays where it was: its move came to nothing, the number is free again"
      : "Bank account deactivated, its number is free again",
  BankAccountMoved: (data) => `Bank account moved to one ${number(data)}`,
  BankAccountMoveRefused: () => "Bank account stays where it was: its move came to nothing"
} satisfies Readonly<Record<string, Sentence>>

const decodeDetails = Schema.decodeUnknownOption(Details)

const isKnown = ({ details }: JsonObject): boolean => Option.isSome(decodeDetails(details))

const content = ({ details }: JsonObject): string =>
  Option.match(decodeDetails(details), {
    onNone: () => "",
    onSome: ({ bankNumber, nameTh }) => `${bankNumber} of ${nameTh}`
  })

const number = (data: JsonObject): string =>
  `at bank ${say(data["bankCode"])}${isKnown(data) ? `, ${content(data)}` : ""}`
