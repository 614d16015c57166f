import { type CallbackState, isEnded, isUnderWay } from "../../domain/callback.ts"
import type { JobState } from "../../domain/job.ts"
import type { Sealed } from "../../domain/sealed.ts"
import type { ProcessManager, Step } from "../processes/process.ts"

/** A job and what was done to tell its result: two streams. */
export interface Delivery {
  readonly job: JobState
  readonly callback: CallbackState
}

/** Send the result of a job. */
export interface SendStep extends Step {
  readonly _tag: "SendCallback"
  readonly jobId: string
  readonly branchId: string
  readonly url: string
  /** The body, sealed. */
  readonly result: Sealed
}

/** What an answer means, by its HTTP status (docs/spec/http.md, "Callback"). */
export const meaningOf = (status: number): "Delivered" | "Rejected" | "Failed" => {
  if (status >= 200 && status <= 299) return "Delivered"
  return status >= 400 && status <= 499 ? "Rejected" : "Failed"
}

const sendAt = ({ callback, job: { ended } }: Delivery, dueAt: string | null): SendStep | undefined => {
  if (ended === null || ended.callbackUrl === null || dueAt === null) return undefined
  const { branchId, callbackUrl: url, jobId, result } = ended
  return {
    _tag: "SendCallback",
    jobId,
    branchId,
    url,
    result,
    dueAt: Date.parse(dueAt),
    attempt: callback.attempts + 1,
    retry: callback.failures + 1
  }
}

const react = (delivery: Delivery): SendStep | undefined => {
  const { callback, job: { ended } } = delivery
  if (isEnded(callback) || isUnderWay(callback)) return undefined
  return sendAt(delivery, callback.scheduled === null ? ended?.at ?? null : callback.nextAttemptAt)
}

/**
 * From the end of a job to the end of its callback. Before a request goes out it is written down that it does; when its
 * outcome never is, nobody knows whether it arrived, and it is sent again: at least once.
 *
 * `resume` is for the holder of the claim alone: to everybody else what is under way is somebody's work.
 */
export const callbackDelivery: ProcessManager<Delivery, SendStep> = {
  react,
  resume: (delivery) => isUnderWay(delivery.callback) ? sendAt(delivery, delivery.callback.sentAt) : react(delivery),
  isTerminal: ({ callback, job: { ended } }) => ended !== null && (ended.callbackUrl === null || isEnded(callback))
}
