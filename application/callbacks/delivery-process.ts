import { type CallbackState, isEnded, isUnderWay } from "../../domain/callback.ts"
import type { JobState } from "../../domain/job.ts"
import type { Sealed } from "../../domain/sealed.ts"
import type { ProcessManager, Step } from "../processes/step.ts"

/** A job and its callback: two streams. */
export interface Delivery {
  readonly job: JobState
  readonly callback: CallbackState
}

/** A step that sends the result of a job. */
export interface SendStep extends Step {
  readonly branchId: string
  readonly url: string
  /** The sealed body. */
  readonly result: Sealed
}

/** The outcome of a callback that an HTTP status stands for. Rule: docs/spec/http.md, "Callback". */
export const statusMeaning = (status: number): "Delivered" | "Rejected" | "Failed" => {
  if (status >= 200 && status <= 299) return "Delivered"
  return status >= 400 && status <= 499 ? "Rejected" : "Failed"
}

const sendStep = ({ callback, job: { ended } }: Delivery, dueAt: string | null): SendStep | undefined => {
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
  return sendStep(delivery, callback.scheduled === null ? ended?.at ?? null : callback.nextAttemptAt)
}

/**
 * The process of a callback, from the end of its job to its own end. The worker appends `CallbackSent` before it sends
 * the request. Without an outcome in the log the callback may have arrived, or not. The worker sends it again, so
 * delivery is at least once.
 */
export const deliveryProcess: ProcessManager<Delivery, SendStep> = {
  react,
  resume: (delivery) => isUnderWay(delivery.callback) ? sendStep(delivery, delivery.callback.sentAt) : react(delivery),
  isTerminal: ({ callback, job: { ended } }) => ended !== null && (ended.callbackUrl === null || isEnded(callback))
}
