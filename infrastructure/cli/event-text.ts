import type { RecordedEvent } from "../../domain/events/recorded-event.ts"
import { enEventTexts } from "../event-text/en.ts"
import { eventText } from "../event-text/event-text.ts"
import { printable } from "./messages.ts"

/** An event in plain words, with its time and who caused it. Types of later versions are told by their name. */
export const tell = (event: RecordedEvent): string => {
  const { data, metadata: { actor, at }, type } = event
  const account = type.startsWith("BankAccount") ? data["accountId"] : undefined
  const about = [["verification", data["verificationId"]], ["job", data["jobId"]], ["account", account]] as const
  const [of = ""] = about.flatMap(([what, id]) => typeof id === "string" ? [`, ${what} ${id}`] : [])
  return printable(`${at}  ${eventText(enEventTexts, event)}  (${actor.kind} ${actor.id}${of})`)
}
