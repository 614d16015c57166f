import type { JobState } from "../../domain/job.ts"
import type { ProcessManager, Step } from "../processes/step.ts"

const react = ({ attempts, enqueued, nextAttemptAt }: JobState): Step | undefined => {
  if (enqueued === null || nextAttemptAt === null) return undefined
  const attempt = attempts + 1
  return { jobId: enqueued.jobId, dueAt: Date.parse(nextAttemptAt), attempt, retry: attempt }
}

/**
 * The process of a job, from acceptance to its end. No event marks the start of an attempt. An attempt runs
 * under the job's id, so repeating it after a crash appends nothing twice. `resume` is therefore the same as `react`.
 */
export const verificationProcess: ProcessManager<JobState, Step> = {
  react,
  resume: react,
  isTerminal: (state) => state.ended !== null
}
