/** The result of one check. With a FAIL the service does not work, or does not keep its guarantees. */
export interface Finding {
  readonly level: "ok" | "warn" | "FAIL"
  readonly about: string
  readonly message: string
  /** What to do. */
  readonly advice?: string
}

/** Makes the findings about one thing. */
export const findingsAbout = (about: string) => ({
  ok: (message: string): Finding => ({ level: "ok", about, message }),
  warn: (message: string, advice: string): Finding => ({ level: "warn", about, message, advice }),
  fail: (message: string, advice: string): Finding => ({ level: "FAIL", about, message, advice })
})

/** The finding, when there is reason for it. */
export const when = (isFound: boolean, finding: Finding): ReadonlyArray<Finding> => isFound ? [finding] : []

export const messageOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)
