/** The part of a report of vitest's JSON reporter that is counted. */
export interface TestReport {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    /** Why the file could not be loaded. */
    readonly message?: string
    readonly assertionResults: ReadonlyArray<{
      readonly fullName: string
      readonly status: string
      readonly failureMessages?: ReadonlyArray<string> | null
    }>
  }>
}

export interface Count {
  readonly passed: number
  readonly failed: number
  /** Tests that did not run: skipped, todo or disabled. */
  readonly skipped: number
}

export interface Failure {
  readonly file: string
  /** The titles of the test and of its groups; the name of the file when it could not be loaded. */
  readonly test: string
  readonly messages: ReadonlyArray<string>
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

/** The failed tests of a run, in the order of its files. There are as many as `countTests` counts. */
export const failuresOf = ({ testResults }: TestReport): ReadonlyArray<Failure> =>
  testResults.flatMap(({ assertionResults, message, name, status }) => {
    const failed = assertionResults.filter((test) => test.status === "failed")
    if (status === "failed" && failed.length === 0) return [{ file: name, test: name, messages: [message ?? ""] }]
    return failed.map((test) => ({ file: name, test: test.fullName, messages: test.failureMessages ?? [] }))
  })
