import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

// Every worker and every process that a test starts compiles the same packages: the first one does it for all.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/tests", import.meta.url))

/** Long files whose subject a shorter file tests too. They run with `TEST_FILES=all`, and when they are named. */
const nightly = "**/*.nightly.*test.ts"

/** Short files with long tests. Vitest starts large files first, so these would run alone at the end. */
const startedFirst = [
  "test/e2e/pages/pages.test.ts",
  "test/e2e/shared/killed.test.ts",
  "test/e2e/shared/away.test.ts",
  "test/e2e/auditor.test.ts",
  "test/e2e/pages/tasks.test.ts",
  "test/e2e/api-answers.test.ts",
  "test/e2e/async-kill.test.ts"
]

class LongTestsFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const isFirst = ({ moduleId }: TestSpecification) => startedFirst.some((path) => moduleId.endsWith(path))
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))]
  }
}

const isNamed = process.argv.some((arg) => arg.startsWith("test/"))
const areAll = process.env["TEST_FILES"] === "all" || isNamed

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: areAll ? configDefaults.exclude : [...configDefaults.exclude, nightly],
    sequence: { sequencer: LongTestsFirst },
    // Ends the run with the tests that were skipped because a program is missing.
    globalSetup: ["test/support/programs-report.ts"],
    // Refuses a process or a server in a file whose name does not say e2e.
    setupFiles: ["test/support/tier.ts"],
    // Workers are processes: threads crash on Deno.
    pool: "forks",
    // Two more than there are cores: many tests wait for another process, or for Redis.
    maxWorkers: availableParallelism() + 2,
    // A new worker for each file took half of the time. A file leaves the process as it found it.
    isolate: false,
    // A test that passes at the second try has failed.
    retry: 0,
    allowOnly: false,
    // Ends a test that hangs. A slow machine does not fail a test: tests start many processes at once.
    testTimeout: 300_000,
    hookTimeout: 300_000
  }
})
