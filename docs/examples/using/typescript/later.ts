// Enqueues a slip and waits for the end of its job. BASE_URL=… API_KEY=… node later.ts SUBMISSION PAYLOAD
import { setTimeout as pause } from "node:timers/promises"
import { type Job, makeSlipTrail } from "sliptrail/client"

const { API_KEY = "", BASE_URL = "" } = process.env
const [submission = "", payload = ""] = process.argv.slice(2)
const slipTrail = makeSlipTrail({ baseUrl: BASE_URL, apiKey: API_KEY })

const waitForEnd = async (jobId: string): Promise<Exclude<Job, { readonly status: "pending" }>> => {
  for (;;) {
    const job = await slipTrail.job(jobId)
    if (job.status !== "pending") return job
    await pause(1_000)
  }
}

const { jobId } = await slipTrail.verifyAsync({ payload }, { idempotencyKey: submission })
const job = await waitForEnd(jobId)
process.stdout.write(job.status === "success" ? `success ${job.data.amountInSlip}\n` : `not_found ${job.error.code}\n`)
