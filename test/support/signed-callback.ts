import { notFoundBody } from "../../application/jobs/verify-jobs.ts"
import { serviceSignature, standardSignature } from "../../sdk/webhook/signature.ts"

/** Webhook secrets of a branch before and after a rotation, and one of another branch. */
export const exampleSecrets = {
  newest: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwq8xDo2VzZWQ=",
  previous: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD4gQbWUf3cHM=",
  unrelated: "whsec_9WRTbLzs4TzXGDvVq0uvzhC/6Vv5OJgzAYtQr1z4cWU="
} as const

export const exampleJobId = "7b0c8a8e-6f6b-4c5e-9d53-0f6d3a2b1c4d"

/** The body for a job without a slip, with text outside ASCII. */
export const exampleBody = (jobId: string = exampleJobId): string =>
  notFoundBody({ jobId, batchId: null }, { code: "SLIP_NOT_FOUND", message: "ไม่พบสลิป ☕" }, "2026-11-21T08:45:30.000Z")

export interface Signing {
  readonly body?: string
  readonly jobId?: string
  /** The newest first, as the service signs with them. */
  readonly secrets?: readonly [string, ...ReadonlyArray<string>]
  /** Milliseconds since 1970. The default is now. */
  readonly at?: number
}

export interface SignedCallback {
  readonly body: Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

/** A callback as the service sends it, with both signatures. */
export const signedCallback = async (
  { at = Date.now(), jobId = exampleJobId, body = exampleBody(jobId), secrets = [exampleSecrets.newest] }: Signing = {}
): Promise<SignedCallback> => {
  const timestamp = String(Math.floor(at / 1_000))
  return {
    body: new TextEncoder().encode(body),
    headers: {
      "content-type": "application/json",
      "x-service-signature": await serviceSignature(body, secrets[0]),
      "webhook-id": jobId,
      "webhook-timestamp": timestamp,
      "webhook-signature": await standardSignature({ id: jobId, timestamp, body }, secrets)
    }
  }
}
