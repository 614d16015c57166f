import { Schema } from "effect"

/**
 * The shape of the read model `duplicates`: which streams tell of a slip, a verification, a branch or a request,
 * and of what was done around them. Decisions never rest on it, they rest on the slip's stream; it is what people look things
 * up in.
 */
export const duplicatesModel = { name: "duplicates", version: 3 } as const

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
  /**
   * What requests led to: members are named by `ofRequest`, and all have the score 0, so that those of one request stand
   * together, in the order of their names. One set for all of them, as a set for each would cost five times the memory.
   */
  requests: "requests",
  /** Verifications of a branch that led to a slip or failed, scored by time in milliseconds. */
  ofBranch: (branchId: string): string => `branch:${branchId}`
} as const

/**
 * Names a stream in which something stands that a request led to; ids of requests (`correlationId`) have no space.
 * Callers choose these ids and may give one to many requests. Callbacks stand beside their jobs and are not named,
 * unless the request asked for one to be sent again.
 */
export const ofRequest = (requestId: string, stream = ""): string => `${requestId} ${stream}`

export const VerificationRow = Schema.Struct({ stream: Schema.String })
