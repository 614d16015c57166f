/** The shape of the read model `quota`: what the log says is charged, or held by a job that has not ended. */
export const quotaModel = { name: "quota", version: 2 } as const

export const quotaSets = {
  /** Verifications and jobs charged to a branch in a month (`yyyy-MM`); how many there are is the use. */
  month: (branchId: string, month: string): string => `month:${branchId}:${month}`,
  /** Months in which a branch was charged. */
  months: (branchId: string): string => `months:${branchId}`
} as const
