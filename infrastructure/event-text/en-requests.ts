import type { JsonObject } from "../../domain/events/recorded-event.ts"
import { say, type Sentence } from "./messages.ts"

/** One sentence an event type of what happens around verifications: requests with a key, looks at personal data. */
export const enRequests = {
  RequestBegun: () => "Request with an Idempotency-Key begun",
  RequestRefused: ({ code, message }) =>
    `Request with an Idempotency-Key refused for good with ${say(code)}: ${say(message)}`,
  RequestReleased: () => "Request led to nothing that is kept, its Idempotency-Key is free again",
  PersonalDataRevealed: (data) =>
    `Personal data shown to ${say(data["by"])}, by ${say(data["command"])}${between(data)}`
} satisfies Readonly<Record<string, Sentence>>

const between = ({ from, to }: JsonObject): string =>
  (from === null ? "" : `, from ${say(from)}`) + (to === null ? "" : `, up to ${say(to)}`)
