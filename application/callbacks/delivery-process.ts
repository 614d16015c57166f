import { type CallbackState, isEnded, isUnderWay } from "../../domain/callback.ts"
import type { JobState } from "../../domain/job.ts"
import type { Sealed } from "../../domain/sealed.ts"
import type { ProcessManager, Step } from "../processes/step.ts"

/** A job and its callback: two streams. */
export interface Delivery {
  readonly job: JobState
  readonly callback: CallbackState
}

/** Send the result of a job. */
export interface SendStep extends Step {
  readonly branchId: string
  readonly url: string
  /** The sealed body. */
  readonly result: Sealed
}

/** What an HTTP status means for a callback. Rule: docs/spec/http.md, "Callback". */
export const statusMeaning = (status: number): "Delivered" | "Rejected" | "Failed" => {
  if (status >= 200 && status <= 299) return "Delivered"
  return status >= 400 && status <= 499 ? "Rejected" : "Failed"
}

const sendAt = ({ callback, job: { ended } }: Delivery, dueAt: string | null): SendStep | undefined => {
  if (ended === null || ended.callbackUrl === null || dueAt === null) return undefined
  const { branchId, callbackUrl: url, jobId, result } = ended
  return {
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
 * From the end of a job to the end of its callback. `CallbackSent` is appended before the request is sent. Without an
 * outcome in the log the callback may have arrived or not, so it is sent again: delivery is at least once.
 */
export const deliveryProcess: ProcessManager<Delivery, SendStep> = {
  react,
  resume: (delivery) => isUnderWay(delivery.callback) ? sendAt(delivery, delivery.callback.sentAt) : react(delivery),
  isTerminal: ({ callback, job: { ended } }) => ended !== null && (ended.callbackUrl === null || isEnded(callback))
}
