import { relative } from "node:path"
import type { TestModule, TestProject } from "vitest/node"
import { installation, packageOf } from "./programs.ts"
import type {} from "./require-program.ts"

/** A test that did not run because a program is missing. */
export interface SkippedTest {
  readonly file: string
  readonly program: string
}

/** What the end of a run says about skipped tests; undefined when there are none. */
export const reportOf = (skipped: ReadonlyArray<SkippedTest>): string | undefined => {
  if (skipped.length === 0) return undefined
  const programs = [...new Set(skipped.map(({ program }) => program))].sort()
  const lines = programs.flatMap((program) => {
    const files = skipped.filter((test) => test.program === program).map(({ file }) => file)
    const counts = [...new Set(files)].sort().map((file) => [file, files.filter((other) => other === file).length])
    return [`  ${program}: ${tests(files.length)}`, ...counts.map(([file, count]) => `    ${file}: ${count}`)]
  })
  return [
    `${tests(skipped.length)} did not run, because programs are missing:`,
    ...lines,
    `To run them: ${installation(programs.map(packageOf))}`
  ].join("\n")
}

const tests = (count: number): string => count === 1 ? "1 test" : `${count} tests`

const skippedIn = (module: TestModule): ReadonlyArray<SkippedTest> =>
  [...module.children.allTests("skipped")].flatMap((test) => {
    const program = test.meta().missingProgram
    return program === undefined ? [] : [{ file: relative(".", module.moduleId), program }]
  })

/** Vitest calls this before a run, and what it returns at the end of it, with any reporter. */
export const setup = ({ vitest }: TestProject) => (): void => {
  const report = reportOf(vitest.state.getTestModules().flatMap(skippedIn))
  // Not the standard output, which may be a JSON report.
  if (report !== undefined) process.stderr.write(`\n${report}\n`)
}
