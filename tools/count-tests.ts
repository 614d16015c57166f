/**
 * Sums up vitest's JSON reports, given as `name=file`. It repeats each failed test with its messages, because vitest
 * prints them far above the end of a long log. The last line is `N passed, N failed`; exit 1 when a test failed, when
 * a run has no tests, or when a report is missing (which counts as a failure).
 */
import { existsSync, readFileSync } from "node:fs"
import { relative } from "node:path"
import { type Count, countTests, type Failure, failuresOf, type TestReport } from "./counting/count.ts"

const read = (file: string): TestReport | undefined =>
  existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined

const textOf = ({ file, messages, test }: Failure): string =>
  [`failed: ${test}`, `  in ${relative(".", file)}`, ...messages].map((line) => `${line}\n`).join("")

const summaryOf = (name: string, count: Count | undefined): string => {
  if (count === undefined) return `${name}: the run left no report`
  if (count.passed + count.failed === 0) return `${name}: no tests ran`
  return `${name}: passed ${count.passed}, failed ${count.failed}, skipped ${count.skipped}`
}

const counts = process.argv.slice(2).map((argument) => {
  const [name = "", file = ""] = argument.split("=", 2)
  const report = read(file)
  const count = report && countTests(report)
  for (const failure of report === undefined ? [] : failuresOf(report)) process.stdout.write(textOf(failure))
  process.stdout.write(`${summaryOf(name, count)}\n`)
  return count ?? { passed: 0, failed: 1, skipped: 0 }
})
const passed = counts.reduce((sum, count) => sum + count.passed, 0)
const failed = counts.reduce((sum, count) => sum + count.failed, 0)

process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 || counts.length === 0 || counts.some((count) => count.passed === 0) ? 1 : 0
