import { type Metadata, status } from "@grpc/grpc-js"
import { refusal } from "./refusal.ts"

/** What goes wrong, and how often. Everything is 0 or undefined while nothing does. */
export interface Faults {
  /** So many calls and appends from now on are answered UNAVAILABLE. */
  unavailable: number
  /** So many appends from now on are done, and their answers lost. */
  loseReplies: number
  /** With the lost answer every connection is cut. */
  cutWithReply: boolean
  /** Every answer waits so long. */
  delayMillis: number
  /** Every connection is cut after so many events were sent. */
  cutAfterEvents: number | undefined
}

export interface LogFaults {
  readonly faults: Faults
  /** Cuts every connection, now. */
  readonly cut: () => void
  /** `name:password` of the user with all rights; undefined when every client has them. */
  readonly user: string | undefined
}

export const noFaults = (): Faults => ({
  unavailable: 0,
  loseReplies: 0,
  cutWithReply: false,
  delayMillis: 0,
  cutAfterEvents: undefined
})

/** The error for a call with these headers, by a fault or because of who it comes from; undefined lets it in. */
export const refusedCall = ({ faults, user }: LogFaults, headers: Metadata) => {
  const wanted = `Basic ${Buffer.from(user ?? "").toString("base64")}`
  if (user !== undefined && headers.get("authorization")[0] !== wanted) {
    return refusal(status.UNAUTHENTICATED, "Authentication failed")
  }
  if (faults.unavailable === 0) return undefined
  faults.unavailable--
  return refusal(status.UNAVAILABLE, "the server is not ready")
}

/** Sends the answer to an append that was done, late or not at all if so it was ordered. */
export const answerAppend = ({ cut, faults }: LogFaults, send: () => void): void => {
  if (faults.loseReplies > 0) {
    faults.loseReplies--
    if (faults.cutWithReply) cut()
    return
  }
  if (faults.delayMillis > 0) setTimeout(send, faults.delayMillis)
  else send()
}

/** To be called for every event that was sent. */
export const afterEvent = ({ cut, faults }: LogFaults): void => {
  if (faults.cutAfterEvents === undefined || --faults.cutAfterEvents > 0) return
  faults.cutAfterEvents = undefined
  cut()
}
