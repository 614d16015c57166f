import { assert, describe, it } from "./it.ts"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { endOf } from "./command.ts"
import { temporaryFolder } from "./temporary-folder.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const runtime = "Deno" in globalThis ? [process.execPath, "run", "-A"] : [process.execPath]

/** Runs test files on a machine that has this runtime and nothing else. */
const testWithoutPrograms = Effect.fnUntraced(function* (
  files: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
) {
  const bin = yield* temporaryFolder
  symlinkSync(process.execPath, join(bin, "Deno" in globalThis ? "deno" : "node"))
  const [program = "", ...args] = [...runtime, "node_modules/vitest/vitest.mjs", "run", "--pool=forks", ...files]
  const { HOME = "", NODE_COMPILE_CACHE = "" } = process.env
  return yield* Effect.promise(() =>
    endOf(spawn(program, args, { cwd: root, env: { HOME, NODE_COMPILE_CACHE, PATH: bin, NO_COLOR: "1", ...env } }))
  )
})

// One file of each kind: a program of a test, of a hook, and of a shell script.
const files = [
  "test/docs/proof.e2e.test.ts",
  "test/infrastructure/adapters/stores/redis/new-streams.contract.e2e.test.ts",
  "test/infrastructure/adapters/stores/redis/pages.e2e.test.ts"
]

describe("a machine without the programs that tests start", () => {
  it.live("skips their tests, passes the others, and ends with what to install", function* () {
    const { code, stderr, stdout } = yield* testWithoutPrograms(files, { CI: "" })

    assert.strictEqual(code, 0, stdout + stderr)
    assert.match(stdout, /Tests +\d+ passed \| \d+ skipped/u)
    assert.match(stderr, /^\d+ tests did not run, because programs are missing:$/mu)
    for (const program of ["openssl", "python3", "redis-server"]) {
      assert.match(stderr, new RegExp(`^  ${program}: \\d+ tests?$`, "mu"))
    }
    for (const file of files) assert.include(stderr, `    ${file}: `)
    assert.match(stderr, /\nTo run them: apt-get install openssl python3 redis-server\n$/u)
  })

  it.live("fails with CI=true, and each failure says what to install", function* () {
    const { code, stderr, stdout } = yield* testWithoutPrograms(files.slice(0, 1), { CI: "true" })

    assert.strictEqual(code, 1)
    assert.include(stderr + stdout, "these tests need openssl: apt-get install openssl")
    assert.notInclude(stderr, "did not run")
  })
})
