import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Finding } from "../../../../infrastructure/commands/doctor/finding.ts"
import type { Env } from "../../../support/service.ts"
import { run } from "../../../support/in-process.ts"

/** Runs the doctor with these settings. Returns its findings. */
export const examine = Effect.fnUntraced(function* (env: Env) {
  const { code, stdout } = yield* run(["doctor", "--json"], env)
  const report: { readonly isHealthy: boolean; readonly findings: ReadonlyArray<Finding> } = JSON.parse(stdout)
  assert.strictEqual(code, report.isHealthy ? 0 : 1)
  const of = (level: Finding["level"]) => report.findings.filter((finding) => finding.level === level)
  return { warnings: of("warn"), faults: of("FAIL"), findings: report.findings, stdout }
})

/** The messages of the findings about a subject, one per line. */
export const messagesAbout = (findings: ReadonlyArray<Finding>, about: string): string =>
  findings.filter((finding) => finding.about === about).map(({ message }) => message).join("\n")
