/** The names of streams (docs/spec/events.md, "Streams"). */
export const streamOf = {
  account: (id: string): string => `account-${id}`,
  service: (id: string): string => `service-${id}`,
  branch: (id: string): string => `branch-${id}`,
  /** Named after a digest of the bank and the number. */
  bankAccount: (serviceId: string, digest: string): string => `bankAccount-${serviceId}-${digest}`,
  slip: (serviceId: string, slipDigest: string): string => `slip-${serviceId}-${slipDigest}`,
  verification: (id: string): string => `verification-${id}`,
  job: (id: string): string => `job-${id}`,
  /** Named after the job whose result it carries. */
  callback: (jobId: string): string => `callback-${jobId}`,
  /** Of a slip, in whichever service. */
  forgetting: (slipDigest: string): string => `forgotten-${slipDigest}`,
  /** Named after a digest of the branch and its key. */
  request: (digest: string): string => `request-${digest}`,
  reveal: (id: string): string => `reveal-${id}`
}
