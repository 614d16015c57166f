import type { Verification } from "../verification/verification-view.ts"
import { toHex } from "../../domain/hex.ts"
import { verifyBankData } from "../verification/verification-view.ts"

/** The job that a body reports; `batchId` is null for a slip that was enqueued alone. */
export interface ReportedJob {
  readonly jobId: string
  readonly batchId: string | null
}

/**
 * The body of a callback as text (docs/spec/http.md, "Callback"). The worker builds it once, when the job ends at
 * `timestamp` (ISO 8601), and seals it in that event. So every attempt sends the same bytes, also after an upgrade.
 */
export const successBody = ({ batchId, jobId }: ReportedJob, verification: Verification, timestamp: string): string =>
  JSON.stringify({ jobId, batchId, status: "success", data: verifyBankData(verification), timestamp })

/** The body of a callback for a job without a slip. */
export const notFoundBody = (
  { batchId, jobId }: ReportedJob,
  { code, message }: { readonly code: string; readonly message: string },
  timestamp: string
): string => JSON.stringify({ jobId, batchId, status: "not_found", error: { code, message }, timestamp })

/** SHA-256 of the body, in hexadecimal. */
export const bodyDigest = async (body: string): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body))))
