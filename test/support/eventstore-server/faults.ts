import { type Metadata, status } from "@grpc/grpc-js"
import { refusal } from "./refusal.ts"

/** The faults to inject. Without faults, each field but `commitTimeoutMillis` is 0, false or undefined. */
export interface Faults {
  /** The number of next calls and appends that are answered UNAVAILABLE. */
  unavailable: number
  /** The number of next appends that are written without an answer. */
  loseReplies: number
  /** Whether each lost answer also cuts every connection. */
  cutWithReply: boolean
  /** Whether the user lacks the right to read `$all`. */
  denyAll: boolean
  /** The number of next appends that are answered `Timeout` and not written. */
  timeOut: number
  /** After how long an append that equals one in progress is answered `Timeout`. */
  commitTimeoutMillis: number
  /** The delay of every answer. */
  delayMillis: number
  /** The number of sent events after which every connection is cut. */
  cutAfterEvents: number | undefined
}

export interface LogFaults {
  readonly faults: Faults
  /** Cuts every connection. */
  readonly cut: () => void
  /** `name:password` of the only user with access. Undefined gives access to every client. */
  readonly user: string | undefined
}

export const noFaults = (): Faults => ({
  unavailable: 0,
  loseReplies: 0,
  cutWithReply: false,
  denyAll: false,
  timeOut: 0,
  // The server's default.
  commitTimeoutMillis: 2_000,
  delayMillis: 0,
  cutAfterEvents: undefined
})

/** The error for a call with these headers, by a fault or without access. Undefined accepts the call. */
export const refusedCall = ({ faults, user }: LogFaults, headers: Metadata) => {
  const expected = `Basic ${Buffer.from(user ?? "").toString("base64")}`
  if (user !== undefined && headers.get("authorization")[0] !== expected) {
    return refusal(status.UNAUTHENTICATED, "Authentication failed")
  }
  if (faults.unavailable === 0) return undefined
  faults.unavailable--
  return refusal(status.UNAVAILABLE, "the server is not ready")
}

/** Sends the answer to a written append, late or never when a fault says so. */
export const answerAppend = ({ cut, faults }: LogFaults, send: () => void): void => {
  if (faults.loseReplies > 0) {
    faults.loseReplies--
    if (faults.cutWithReply) cut()
    return
  }
  if (faults.delayMillis > 0) setTimeout(send, faults.delayMillis)
  else send()
}

/** Must be called for every sent event. */
export const afterEvent = ({ cut, faults }: LogFaults): void => {
  if (faults.cutAfterEvents === undefined || --faults.cutAfterEvents > 0) return
  faults.cutAfterEvents = undefined
  cut()
}
