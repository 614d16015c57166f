import { type Metadata, status } from "@grpc/grpc-js"
import { refusal } from "./refusal.ts"

/** The faults to inject. Without faults, each field but `commitTimeoutMillis` is 0, false or undefined. */
export interface Faults {
  /** The number of next calls and appends that are answered with "Server Is Not Ready". */
  unavailable: number
  /** `host:port` of the leader, if this node is none; empty while it knows no leader. */
  leader: string | undefined
  /** The number of next appends that are written without an answer. */
  loseReplies: number
  /** Whether each lost answer also cuts every connection. */
  cutWithReply: boolean
  /** Whether the user lacks the right to read `$all`. */
  denyAll: boolean
  /** The number of next appends that are answered `AccessDenied`. */
  denyAppends: number
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
  leader: undefined,
  loseReplies: 0,
  cutWithReply: false,
  denyAll: false,
  denyAppends: 0,
  timeOut: 0,
  // The server's default.
  commitTimeoutMillis: 2_000,
  delayMillis: 0,
  cutAfterEvents: undefined
})

/** The error for a call without access. Undefined accepts the call. */
export const unauthenticated = ({ user }: LogFaults, headers: Metadata) => {
  const expected = `Basic ${Buffer.from(user ?? "").toString("base64")}`
  return user === undefined || headers.get("authorization")[0] === expected
    ? undefined
    : refusal(status.UNAUTHENTICATED, "Authentication failed")
}

/** Why this node does not handle the request now, and the leader if it knows another one. */
export const notHandled = (
  { faults }: LogFaults,
  headers: Metadata
): { readonly message: string; readonly leader?: string } | undefined => {
  if (faults.leader !== undefined && headers.get("requires-leader")[0] === "true") {
    return faults.leader === ""
      ? { message: "No leader info available in response" }
      : { message: "Leader info available", leader: faults.leader }
  }
  if (faults.unavailable === 0) return undefined
  faults.unavailable--
  return { message: "Server Is Not Ready" }
}

/** The error of a call that this node does not handle. */
export const notHandledError = ({ leader, message }: { readonly message: string; readonly leader?: string }) => {
  if (leader === undefined) return refusal(status.UNAVAILABLE, message)
  const [host = "", port = ""] = leader.split(":")
  return refusal(status.NOT_FOUND, message, {
    exception: "not-leader",
    "leader-endpoint-host": host,
    "leader-endpoint-port": port
  })
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
