import { Schema } from "effect"

/**
 * The shape of the read model `duplicates`: which streams tell of a slip, a verification or a branch, and of
 * what was done around them. Decisions never rest on it, they rest on the slip's stream; it is what people look things
 * up in.
 */
export const duplicatesModel = { name: "duplicates", version: 2 } as const

export const duplicatesTables = {
  /** Verification id → the stream it stands in: the slip's, or its own when it found nothing. */
  verifications: "verifications"
} as const

export const duplicatesSets = {
  /** Streams in which one slip was verified or looked for in vain, across services. */
  ofSlip: (slipDigest: string): string => `slip:${slipDigest}`,
  /**
   * Streams of requests that led, under this id, to a verification, a job, a batch or an account; and of looks at the
   * personal data of a verification, a job, a branch, or a slip by its digest. Scored by time in milliseconds.
   */
  around: (id: string): string => `around:${id}`,
  /** Verifications of a branch that led to a slip or failed, scored by time in milliseconds. */
  ofBranch: (branchId: string): string => `branch:${branchId}`
} as const

export const VerificationRow = Schema.Struct({ stream: Schema.String })
