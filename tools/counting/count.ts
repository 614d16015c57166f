/** The part of a report of vitest's JSON reporter that is counted. */
export interface TestReport {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly assertionResults: ReadonlyArray<{ readonly status: string }>
  }>
}

export interface Count {
  readonly passed: number
  readonly failed: number
  /** Tests that did not run: skipped, todo or disabled. */
  readonly skipped: number
}

/** Sums up a run. A file that failed without a failed test (it could not be loaded) counts as one failure. */
export const countTests = ({ testResults }: TestReport): Count => {
  const statuses = testResults.flatMap(({ assertionResults, status }) => {
    const own = assertionResults.map((test) => test.status)
    return status === "failed" && !own.includes("failed") ? [...own, "failed"] : own
  })
  const having = (wanted: string): number => statuses.filter((status) => status === wanted).length
  const passed = having("passed")
  const failed = having("failed")
  return { passed, failed, skipped: statuses.length - passed - failed }
}
