import { assert, describe, it } from "../support/it.ts"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import { csvHeader } from "../../application/trail/export-lines.ts"
import { eventsFile } from "../../infrastructure/runtime/data-folder.ts"
import { givenEndedJobs } from "../infrastructure/commands/cli/given-jobs.ts"
import { endOf } from "../support/command.ts"
import { requireProgram, requireProgramsOf } from "../support/require-program.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"

const main = fileURLToPath(new URL("../../infrastructure/main.ts", import.meta.url))
const runtime = "Deno" in globalThis ? [process.execPath, "run", "-A"] : [process.execPath]

const page = readFileSync(new URL("../../docs/trail.md", import.meta.url), "utf8")

/** The blocks of shell code, in the order of the page. */
const blocks = Array.from(page.matchAll(/^```sh\n([^]*?)```$/gmu), ([, block = ""]) => block.trim())

/** A replacement for `sqlite3 FILE STATEMENT`, which may be missing. */
const SQLITE = `
import { DatabaseSync } from "node:sqlite"
const [, , file, statement] = process.argv
for (const row of new DatabaseSync(file, { readOnly: true }).prepare(statement).all()) {
  console.log(Object.values(row).join("|"))
}
`

/** A folder of programs that PATH finds first, so that the commands of the page run unchanged. */
const givenPrograms = Effect.gen(function* () {
  const folder = join(yield* temporaryFolder, "bin")
  mkdirSync(folder)
  const program = (name: string, script: string): void => {
    writeFileSync(join(folder, name), `#!/bin/bash\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  const sqlite = join(folder, "sqlite.mjs")
  writeFileSync(sqlite, SQLITE)
  program("npx", `[ "$1" = sliptrail ] && shift && exec ${[...runtime, main].join(" ")} "$@"`)
  program("sqlite3", `exec ${[...runtime, sqlite].join(" ")} "$@"`)
  return folder
})

/** Runs a block with the variables of the page set. */
const bash = (block: string, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.promise(() => {
    requireProgramsOf(block)
    const args = ["-eu", "-o", "pipefail", "-c", block]
    return endOf(spawn(requireProgram("bash"), args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] }))
  })

/** The service that a branch belongs to. */
const serviceOf = (dataDir: string, branchId: string): string => {
  const log = new DatabaseSync(eventsFile(dataDir), { readOnly: true })
  try {
    const row = log.prepare("SELECT json_extract(data, '$.serviceId') AS id FROM event_log WHERE stream = ?").get(
      `branch-${branchId}`
    )
    return String(row?.["id"])
  } finally {
    log.close()
  }
}

/** The X-Request-Id of the request that enqueued the job. */
const requestOf = (dataDir: string, jobId: string): string => {
  const log = new DatabaseSync(eventsFile(dataDir), { readOnly: true })
  try {
    const row = log.prepare("SELECT json_extract(metadata, '$.correlationId') AS id FROM event_log WHERE stream = ?")
      .get(`job-${jobId}`)
    return String(row?.["id"])
  } finally {
    log.close()
  }
}

describe("docs/trail.md", () => {
  it.live("has commands that run and answer the questions of the page", function* () {
    const { branchId, delivered, env: { DATA_DIR }, host, slip } = yield* givenEndedJobs
    const folder = yield* temporaryFolder
    cpSync(DATA_DIR, join(folder, "data"), { recursive: true })
    const env = {
      PATH: `${yield* givenPrograms}:${process.env["PATH"]}`,
      HOME: process.env["HOME"] ?? "",
      DATA_DIR: "./data",
      SLIP: `${slip.sendingBank}:${slip.transRef}`,
      JOB: delivered,
      BRANCH: branchId,
      SERVICE: serviceOf(DATA_DIR, branchId),
      TIME: "2099-01-01 15:45",
      REQUEST: requestOf(DATA_DIR, delivered)
    }
    const outputs = new Map<string, string>()
    for (const block of blocks) {
      const { code, stderr, stdout } = yield* bash(block, folder, env)
      assert.strictEqual(code, 0, `${block}\n${stderr}`)
      outputs.set(block, stdout)
    }

    const [firstOutput = ""] = [...outputs.values()]
    assert.match(firstOutput, new RegExp(`^Branch Main \\(${branchId}\\) of service .+ \\([\\da-f-]{36}\\)\n`, "u"))
    assert.match(
      firstOutput,
      /^\S+Z {2}Slip of bank 004 over 100\.00 baht, .* verified for the first time: sandbox answered in /mu
    )
    assert.include(firstOutput, `; charged 1 unit  (branch ${branchId}, verification ${delivered})`)
    assert.match(firstOutput, /^\S+Z {2}Job succeeded with attempt 1: the slip is not a duplicate/mu)
    assert.include(firstOutput, `Callback delivered with attempt 1: ${host} answered 200`)
    const outputOf = (part: string) => [...outputs].find(([block]) => block.includes(part))?.[1] ?? ""
    assert.include(outputOf("--reveal"), slip.transRef)
    assert.match(outputOf("--reveal"), /result \{"jobId":/u)
    assert.match(
      outputOf('trail at "$TIME" --slip'),
      new RegExp(`^first verified +\\S+Z by branch ${branchId}`, "mu")
    )
    assert.match(outputOf('trail at "$TIME" --slip'), /^callback +delivered at \S+Z, sent once, /mu)
    assert.match(outputOf("--request"), /^\S+Z {2}Slip accepted for later verification; /mu)
    assert.include(outputOf("--request"), `Callback delivered with attempt 1: ${host} answered 200`)
    assert.match(outputOf("substr('$REQUEST'"), /\|VerificationEnqueued$/mu)
    assert.match(outputOf("AS day"), /\|SlipVerified\|\|3$/mu)
    assert.match(outputOf("slowest"), /^sandbox\|4\|/mu)
    assert.match(outputOf("CallbackAbandoned"), /\|CallbackRejected\|/u)
    assert.include(outputOf("branch list"), branchId)
    assert.include(outputOf("hashlib"), `${delivered} received this body {"jobId":"${delivered}",`)
    assert.include(outputOf("import pathlib"), "SlipVerified 3\n")
    const dispute = readFileSync(join(folder, "dispute.csv"), "utf8")
    assert.include(dispute, "***")
    assert.include(readFileSync(join(folder, "dispute.ndjson"), "utf8"), slip.transRef)
    assert.isAbove(statSync(join(folder, "log.ndjson")).size, 1_000)
    assert.strictEqual(readFileSync(join(folder, "branch.csv"), "utf8").split("\r\n")[0], csvHeader.trim())
    assert.isTrue(readFileSync(join(folder, "november.csv"), "utf8").startsWith("\u{feff}position,"))
  })

  it("has commands only in blocks that the test runs", () => {
    const prose = page.replaceAll(/^```\w+\n[^]*?^```$/gmu, "")
    assert.notMatch(prose, /npx |sqlite3 "/u)
    assert.isAtLeast(blocks.length, 10)
  })
})
