import { bangkokDateTime } from "../../../domain/time.ts"
import type { Refusal, Reply } from "./dialect.ts"

/** The vendor refuses without looking for the slip. */
export const refusals = [
  "not-found",
  "pending",
  "bank-down",
  "wrong-key",
  "wrong-ip",
  "expired",
  "rate-limit",
  "server-error"
] as const satisfies ReadonlyArray<Refusal>

/** The vendor found the slip, and its answer is wrong: another slip, or without amount or time, or in another zone. */
export const flaws = ["other-slip", "no-amount", "no-time", "wrong-zone"] as const
export type Flaw = (typeof flaws)[number]

/**
 * The answer does not arrive as JSON: a page, half of the JSON, more than 256 KiB, a connection that closes within the
 * body or before the answer, or no answer.
 */
export const transports = ["not-json", "truncated", "too-large", "cut", "reset", "silent"] as const

/** Every fault that the test server can show. */
export const faults = ["none", ...refusals, ...flaws, ...transports] as const
export type Fault = (typeof faults)[number]

const oneOf = <A extends string>(names: ReadonlyArray<A>) => (fault: Fault): A | undefined =>
  names.find((name) => name === fault)

export const refusalOf = oneOf(refusals)
export const flawOf = oneOf(flaws)
const transportOf = oneOf(transports)

/** A response, and how it reaches the client. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly delivery: "whole" | "cut" | "reset" | "silent"
  readonly delayMillis: number
}

const TIMES = ["date", "dateTime", "transDate", "transTime", "transTimestamp"]
const ZONED_TIMES = ["date", "dateTime", "transTimestamp"]

/** The time of Bangkok, marked as UTC. RDCW states no zone, so its answers stay the same. */
const inWrongZone = (time: string): string => `${bangkokDateTime(Date.parse(time))}Z`

const rewriting = (flaw: Flaw, reference: string) => (key: string, value: unknown): unknown => {
  switch (flaw) {
    case "other-slip":
      return typeof value === "string" ? value.replaceAll(reference, `${reference.slice(0, -1)}-`) : value
    case "no-amount":
      return /amount/iu.test(key) ? undefined : value
    case "no-time":
      return TIMES.includes(key) ? undefined : value
    case "wrong-zone":
      return ZONED_TIMES.includes(key) && typeof value === "string" ? inWrongZone(value) : value
  }
}

/** The reply as text. A flaw changes the fields of JSON; `reference` is the one that the slip has there. */
export const textOf = ({ body }: Reply, flaw?: Flaw, reference = ""): string =>
  typeof body === "string" ? body : JSON.stringify(body, flaw === undefined ? undefined : rewriting(flaw, reference))

const TOO_LARGE_BYTES = 300 * 1024

/** The answer as the client receives it with this fault. */
export const withTransport = (answer: Answer, fault: Fault): Answer => {
  const transport = transportOf(fault)
  switch (transport) {
    case undefined:
      return answer
    case "not-json":
      return {
        ...answer,
        status: 200,
        headers: { "content-type": "text/html; charset=utf-8" },
        text: "<html><body>It works!</body></html>"
      }
    case "truncated":
      return { ...answer, text: answer.text.slice(0, answer.text.length / 2) }
    case "too-large":
      return { ...answer, text: answer.text.padEnd(TOO_LARGE_BYTES) }
    default:
      return { ...answer, delivery: transport }
  }
}
