import { Schema } from "effect"
import type { CallbackEnd } from "../../domain/callback.ts"

/**
 * The shape of the read model `callbacks`: which are due at which server, what that server's circuit rests on, how the
 * others ended, and the log of deliveries that a branch sees.
 */
export const callbacksModel = { name: "callbacks", version: 2 } as const

/** What is known of an attempt; `sent` as long as its outcome is not, and for good when that was lost. */
export const DeliveryOutcome = Schema.Literals(["sent", "delivered", "rejected", "failed"])
export type DeliveryOutcome = typeof DeliveryOutcome.Type

export const callbacksTables = {
  /** Host → `HostRow`; no row as long as it has not answered. */
  hosts: "hosts",
  /** Attempt key → `AttemptRow`. The attempts of a job are numbered from 1 without gaps. */
  attempts: "attempts"
} as const

export const callbacksSets = {
  /** `hostMember` of callbacks that have not ended, scored by when they are due, in milliseconds. */
  due: "due",
  /** The same of one host. */
  dueAt: (host: string): string => `due:${host}`,
  /** Jobs whose callback failed at a host and has not ended, scored by the failure: the ones since `lastOkAt` count. */
  failing: (host: string): string => `failing:${host}`,
  /** `hostMember` of callbacks that ended so, scored by when; one that somebody asks for again is among them no more. */
  ended: (end: CallbackEnd): string => `ended:${end}`,
  /** The same of one host. */
  endedAt: (end: CallbackEnd, host: string): string => `ended:${end}:${host}`,
  /** Attempt keys of a branch, scored by when they were sent. */
  deliveries: (branchId: string): string => `deliveries:${branchId}`,
  /** The same by outcome, scored by when that was known. */
  deliveriesWith: (branchId: string, outcome: DeliveryOutcome): string => `deliveries:${branchId}:${outcome}`
} as const

/** `<jobId>#<attempt>` */
export const attemptKey = (jobId: string, attempt: number): string => `${jobId}#${attempt}`

/** `<host> <jobId>`: whoever looks for work sees at which server it is without reading further. */
export const hostMember = (host: string, jobId: string): string => `${host} ${jobId}`

/** Reads what `hostMember` wrote. */
export const parseHostMember = (member: string): { readonly host: string; readonly jobId: string } => {
  const space = member.lastIndexOf(" ")
  return { host: member.slice(0, space), jobId: member.slice(space + 1) }
}

/** ISO 8601: when it last answered for good, with whatever 2xx or 4xx. */
export const HostRow = Schema.Struct({ lastOkAt: Schema.String })

/** `at` is when it was sent; what follows `outcome` is null as far as it is not known or there is none. */
export const AttemptRow = Schema.Struct({
  jobId: Schema.String,
  attempt: Schema.Int,
  host: Schema.String,
  at: Schema.String,
  outcome: DeliveryOutcome,
  status: Schema.NullOr(Schema.Int),
  reason: Schema.NullOr(Schema.String),
  tookMillis: Schema.NullOr(Schema.Int),
  nextAttemptAt: Schema.NullOr(Schema.String)
})
export type AttemptRow = typeof AttemptRow.Type
