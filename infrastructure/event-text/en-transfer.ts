import { Option, Schema } from "effect"
import { Matching } from "../../domain/slip/matching/recorded-matching.ts"
import type { JsonObject } from "../../domain/events/recorded-event.ts"
import { bankShown, nameShown, numberShown, type Receiver, type Sender, Transfer } from "../../domain/slip/transfer.ts"
import { baht } from "./en-words.ts"
import { isObject, say } from "./messages.ts"

const decodeTransfer = Schema.decodeUnknownOption(Transfer)
const decodeMatching = Schema.decodeUnknownOption(Matching)

const party = (one: Sender | Receiver): string => {
  const at = [bankShown(one), numberShown(one)].filter((part) => part !== "")
  const who = nameShown(one) ?? "somebody"
  return at.length === 0 ? who : `${who} (${at.join(" ")})`
}

const named = (name: string, text: string): string => text === "" ? "" : `, ${name} ${text}`

/** Who paid whom, as far as the event at hand shows it. */
export const parties = ({ transfer }: JsonObject): string =>
  Option.match(decodeTransfer(transfer), {
    onNone: () =>
      isObject(transfer) && "unreadable" in transfer
        ? `, by whom to whom can't be read (${say(transfer["unreadable"])})`
        : "",
    onSome: ({ fee, receiver, ref1, ref2, ref3, sender, transRef }) =>
      `, from ${party(sender)} to ${party(receiver)}${named("merchant", receiver.merchantId ?? "")}`
      + named("reference", transRef)
      + named("references", [ref1, ref2, ref3].filter((ref) => ref !== "").join(" "))
      + (fee === 0 ? "" : `, fee ${baht(fee)}`)
  })

const verdicts = {
  match: "it is one of them",
  no_match: "it is none of them",
  indeterminate: "it can't be told which it is"
} as const

/** That the receiver was compared with the branch's accounts, and where it is opened what came of it. */
export const compared = ({ matching }: JsonObject): string => {
  if (matching === undefined || matching === null) return ""
  return Option.match(decodeMatching(matching), {
    onNone: () => "; the receiver was compared with the branch's accounts",
    onSome: ({ account, reasons, verdict }) =>
      `; the receiver was compared with the branch's accounts, ${verdicts[verdict]}`
      + (account === null ? "" : `: ${account.nameTh} (${account.bankCode} ${account.bankNumber})`)
      + reasons.map((reason) => `; ${reason}`).join("")
  })
}

/** What the caller wrote beside its slip, where it is opened. */
export const remarked = ({ remark }: JsonObject): string =>
  typeof remark === "string" ? `; remark ${JSON.stringify(remark)}` : ""
