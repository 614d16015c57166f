import type { JobState } from "../../domain/job.ts"
import type { ProcessManager, Step } from "../processes/process.ts"

/** Verify the slip of a job. */
export interface VerifyStep extends Step {
  readonly _tag: "VerifySlip"
  readonly jobId: string
}

const react = ({ attempts, enqueued, nextAttemptAt }: JobState): VerifyStep | undefined => {
  if (enqueued === null || nextAttemptAt === null) return undefined
  const attempt = attempts + 1
  return { _tag: "VerifySlip", jobId: enqueued.jobId, dueAt: Date.parse(nextAttemptAt), attempt, retry: attempt }
}

/**
 * From the acceptance of a job to its end. Nothing is written when an attempt begins: it is under the id of the job, so
 * one that was cut off is made again and leaves nothing twice. To resume is to go on.
 */
export const verification: ProcessManager<JobState, VerifyStep> = {
  react,
  resume: react,
  isTerminal: (state) => state.ended !== null
}
