import type { Verification } from "../verification/verification-view.ts"
import { toHex } from "../../domain/hex.ts"
import { verifyBankData } from "../verification/verification-view.ts"

/** Whose result it is; `batchId` is null when the slip was handed over alone. */
export interface JobOfBody {
  readonly jobId: string
  readonly batchId: string | null
}

/**
 * The body of a callback as text (docs/spec/http.md, "Callback"). It is made once, when the job ends at `timestamp`
 * (ISO 8601), and sealed with its end: every attempt sends these bytes, however later versions would write them.
 */
export const successBody = ({ batchId, jobId }: JobOfBody, verification: Verification, timestamp: string): string =>
  JSON.stringify({ jobId, batchId, status: "success", data: verifyBankData(verification), timestamp })

/** The body of a callback that tells why there is no result. */
export const notFoundBody = (
  { batchId, jobId }: JobOfBody,
  { code, message }: { readonly code: string; readonly message: string },
  timestamp: string
): string => JSON.stringify({ jobId, batchId, status: "not_found", error: { code, message }, timestamp })

/** SHA-256 of the bytes that are sent, in hexadecimal. */
export const bodyDigest = async (body: string): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body))))
